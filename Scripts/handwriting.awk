# SPDX-License-Identifier: Apache-2.0
#
# Writes a page of made-up cursive as stroke NDJSON (positions in points, pressure 0…1, times in milliseconds):
# the same page on every machine. Words are chains of loops, some tall, some deep; now and then a dot.
#
#   awk -f Scripts/handwriting.awk > page.ndjson

function random() { # 0 ≤ r < 1, Park and Miller's generator
  state = (state * 16807) % 2147483647
  return state / 2147483647
}

function between(low, high) { return low + (high - low) * random() }

function sample(px, py, force, ms) {
  separator = count++ ? "," : ""
  xs = xs sprintf("%s%.2f", separator, px)
  ys = ys sprintf("%s%.2f", separator, py)
  forces = forces sprintf("%s%.3f", separator, force)
  times = times sprintf("%s%d", separator, ms)
}

function finish() {
  printf "{\"start\":%d,\"width\":1.6,\"color\":\"#1a2a6cff\",", clock
  printf "\"x\":[%s],\"y\":[%s],\"pressure\":[%s],\"time\":[%s]}\n", xs, ys, forces, times
  xs = ys = forces = times = ""
  count = 0
}

# One letter: the pen goes round once while it moves on, so that the loops lean and touch.
function letter(height, depth, wide,    step, steps, angle, rise) {
  steps = 10 + int((height + depth) / 1.2)
  for (step = 0; step < steps; step++) {
    angle = 6.2831853 * step / steps
    rise = (1 - cos(angle)) / 2
    py = base - height * rise + depth * (sin(angle) < 0 ? sin(angle) * sin(angle) : 0) + between(-0.12, 0.12)
    px = left + wide * step / steps + 0.42 * wide * sin(angle) + 0.22 * height * rise
    force = 0.42 - 0.2 * sin(angle) + between(-0.03, 0.03)
    sample(px, py, force, ms)
    ms += 4 + (random() < 0.17)
  }
  left += wide
}

function word(letters,    index_, kind) {
  ms = 0
  started = left
  for (index_ = 0; index_ < letters; index_++) {
    kind = random()
    if (kind < 0.18) letter(between(13, 15), 0, between(4.6, 5.4))
    else if (kind < 0.30) letter(between(5.5, 6.5), between(6, 8), between(5.4, 6.2))
    else letter(between(4.8, 6.6), 0, between(4.6, 7.2))
  }
  finish()
  clock += ms + int(between(90, 420))
  if (random() < 0.35) {
    middle = started + (left - started) * random()
    ms = 0
    for (index_ = 0; index_ < 4; index_++) {
      sample(middle + 0.15 * index_, base - 13 + 0.1 * index_, 0.35 + 0.05 * index_, ms)
      ms += 4
    }
    finish()
    clock += int(between(120, 300))
  }
  left += between(7, 10)
}

BEGIN {
  state = 20260
  clock = 0
  print "{\"page\":1,\"pageSize\":[612,792]}"
  for (line = 0; line < 24; line++) {
    left = (line % 6 == 0 ? 84 : 60) + between(-2, 2)
    end = line % 6 == 5 ? between(220, 420) : 548
    while (1) {
      letters = 2 + int(between(0, 8))
      if (left + letters * 6.4 > end) break
      base = 84 + line * 27 + (left - 60) * 0.004 + between(-0.6, 0.6)
      word(letters)
    }
    clock += int(between(500, 2400))
  }
}
