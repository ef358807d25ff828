#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Writes the first inputs of every target, out of golden files and by hand, as files named seed-…. The files beside them
# were found by fuzzing (Scripts/fuzz --keep).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
goldens=../../Tests/PageJournalTests/Goldens/Files
document=../../docs/ink-payload.md

# seed TARGET NAME: a seed of what comes in.
seed() {
  mkdir -p "$1"
  cat >"$1/seed-$2"
}

# The four bytes before pages and frames say what is done to crcs; see SealedInput.swift.
for folder in "$goldens"/*/; do
  name=$(basename "$folder")
  for file in "$folder"*.content; do
    { printf '\x01\0\0\0' && cat "$file"; } | seed frames "$name-content"
    { printf '\x01\0\0\0' && cat "$file"; } | seed snapshot "$name"
    { printf '\x03\x46\x01\x20' && cat "$file"; } | seed snapshot "$name-damaged"
  done
  number=0
  for file in "$folder"*.journal; do
    [ -e "$file" ] || continue
    number=$((number + 1))
    { printf '\x03\x80\0\x08' && cat "$file"; } | seed frames "$name-journal-$number"
  done
  { printf '\0\0\0\0' && cat "$folder"*.content && cat "$folder"*.journal 2>/dev/null || true; } |
    seed page "$name"
  { printf '\x09\0\0\0' && cat "$folder"*.content && cat "$folder"*.journal 2>/dev/null || true; } |
    seed page "$name-linked"
  { printf '\x0b\0\x02\x10' && cat "$folder"*.content && cat "$folder"*.journal 2>/dev/null || true; } |
    seed page "$name-damaged"
done

# The worked examples of the ink format: offset, bytes, remark; two spaces between them.
awk '/^```hex/ { block++ } { print block "\t" $0 }' "$document" |
  while IFS=$'\t' read -r block line; do
    [[ $line =~ ^[0-9A-F]{2}\ \ ([0-9A-F ]+)(\ \ |$) ]] || continue
    printf '%s %s\n' "$block" "${BASH_REMATCH[1]%%  *}"
  done >/tmp/ink-examples.$$
for block in 1 2; do
  hex=$(awk -v block=$block '$1 == block { $1 = ""; print }' /tmp/ink-examples.$$ | tr -d ' \n')
  # shellcheck disable=SC2001
  printf '%b' "$(sed 's/../\\x&/g' <<<"$hex")" | seed ink "example-$block"
done
rm -f /tmp/ink-examples.$$
printf '\x01\0\0\x01\0\0' | seed ink plain-point
printf '\x01\x02\0\x04\x10\0\0\0\0\0\0' | seed ink pressure
printf '\x7f\x0a\0\0\0\0\0\0\0\0\0\xf0\x3f' | seed ink-values one-width
printf '\x3f\x0a\0\0\0\x0a\0\0\0\x01\0\0\0\x02\0\0\0\x03\0\0\0\x04\0\0\0\x05\0\0\0\x06\0\0\0' | seed ink-values whole
printf '\0\0\0\0\0\0\0\0\0\0\0\xf0\x3f\0\0\0\0\0\0\x59\x40\0\0\0\0\0\xc0\x72\xc0' | seed ink-values doubles

id=00000000-0000-4000-8000-0000000000
record='"schema":1,"id":"'$id'01","title":"a","created":1,"modified":2'
page='{"id":"'$id'02","width":595.28,"height":841.89,"created":1,"modified":2,"elements":0,"generation":1,"commit":0'
seed record empty <<<"{$record,\"pages\":[]}"
seed record one-page <<<"{$record,\"pages\":[$page}]}"
seed record unknown-keys <<<"{$record,\"pages\":[$page,\"tags\":[1,2.5,null]}],\"new\":{\"a\":true,\"b\":\"\\u00e4\\ud83d\\ude00\"}}"
seed record removed <<<"{$record,\"pages\":[],\"removed\":[\"${id}03\"]}"
seed record numbers <<<"{$record,\"pages\":[],\"n\":[18446744073709551615,-0.0,1e-7,0.1,9007199254740993,123456789012345678901]}"
seed record newer <<<"{\"schema\":2,\"id\":\"${id}01\",\"pages\":[]}"
seed record wrong-kind <<<"{$record,\"pages\":{}}"

seed json values <<<'{"a":[1,-2.5e3,0.1,true,false,null,"x\n\u00e9\ud83d\ude00"],"":{}}'
seed json numbers <<<'[9007199254740993,9223372036854775807,9223372036854775808,-0,1e308,5e-324,1E+2]'
seed json strings <<<'["\"\\\/\b\f\n\r\t","ä","\u0000"]'
seed json scalar <<<' 12 '

seed ndjson strokes <<'END'
{"page":1,"pageSize":[595.28,841.89]}
{"page":1,"start":1000,"width":1.41,"color":"#3366ffcc","tool":"pencil","flags":3,"x":[1,2.5,3],"y":[4,5,6],"radius":[0.5,0.5,0.7],"pressure":[0.1,0.2,0.3],"time":[0,8,16]}
{"width":2,"x":[0],"y":[0]}
END
seed ndjson elements <<'END'
{"page":2,"kind":200,"payload":"AQID"}
{"asset":"a","type":"png","data":"iVBORw0KGgo="}
{"page":1,"kind":2,"payload":"AQA="}
{"page":1,"units":1000,"tool":7,"extra":"pQ==","width":0.0005,"x":[1e-3,0.30000000000000004],"y":[-1.5,2e2]}
END
seed ndjson bad <<<'{"x":[1],"y":[2,3],"width":1}'

xournal() {
  printf '<?xml version="1.0" standalone="no"?>\n<xournal creator="x" fileversion="4"><title>t &amp; u</title>\n'
  printf '<page width="595.28" height="841.89"><background type="solid" color="#ffffffff" style="plain"/><layer>%s</layer>' "$1"
  printf '</page></xournal>\n'
}
points='1 2 3.5 4 -5e0 +.5'
strokes="<stroke tool=\"pen\" color=\"#3366ff80\" width=\"1.41 1 2\">$points</stroke>"
strokes+="<stroke tool=\"highlighter\" color=\"yellow\" width=\"8\" capStyle=\"butt\">$points</stroke>"
xournal "$strokes" | seed xournal strokes
xournal "$strokes" | gzip -n9 | seed xournal packed
xournal '<image left="0" top="0" right="10" bottom="5">iVBORw0KGgo=</image><text font="Sans">a</text><teximage/>' |
  seed xournal images
xournal '<stroke tool="brush" color="teal" width="8" fill="12" style="dash" pressures="1 3">0 0 1 1</stroke><![CDATA[x]]><!-- c -->' |
  seed xournal losses
xournal '</layer><layer><stroke width="1,5" color="red" tool="eraser" pathtype="spline">1,5 2&#13;3 4</stroke>' | seed xournal layers
printf '<?xml version="1.0" encoding="ISO-8859-1"?><MrWriter><page width="1" height="1"/></MrWriter>' | seed xournal mrwriter

seed plan rules <<<'write suffix ".journal" call 3 once: short 5 then noSpace; *: error io'
seed plan more <<<'write: space 4096; synchronizeFile,synchronizeDirectory contains "a\"\\\n" sticky: sync clean'
seed plan reads <<<'read call 2: flip 77
read: zero 2
read sticky: stale 0'
