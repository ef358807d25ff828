// SPDX-License-Identifier: Apache-2.0

import Foundation
import InkElements
import LNoteFormats
import Testing

@Suite struct StrokeLinesTests {
  @Test func aLineGivesEveryFieldOfAStroke() throws {
    let line = """

      {"page":3,"start":12,"width":2.5,"color":"#01020304","tool":"pencil","flags":4294967295,"extra":"AQID",
      """
      + "\"x\":[1,-2.5],\"y\":[3e1,4],\"radius\":[0.5,1],"
      + "\"pressure\":[-1.7e-16,1.717],\"time\":[0.0,14400.4]}\r\n\n"
    let items = try importAll(Array(line.utf8))
    let stroke = Stroke(
      tool: .pencil, color: 0x0102_0304, width: 2.5, flags: .max, start: 12, x: [1, -2.5], y: [30, 4],
      radius: [0.5, 1], pressure: [-1.7e-16, 1.717], time: [0, 14400], extra: [1, 2, 3])
    #expect(items == [.stroke(page: 3, stroke)])
  }

  @Test func whatIsAbsentOrNullIsUnknown() throws {
    let items = try importAll(
      Array("{\"width\":2,\"x\":[1],\"y\":[2],\"time\":null,\"color\":null,\"later\":[{}]}".utf8))
    #expect(items == [.stroke(page: 1, Stroke(width: 2, x: [1], y: [2]))])
  }

  @Test func pageSizesAndOtherElementsHaveLinesOfTheirOwn() throws {
    let text = "{\"pageSize\":[595.3,841.9],\"page\":2}\n{\"kind\":200,\"payload\":\"/w==\",\"page\":2}"
    let expected: [ImportItem] = [
      .pageSize(page: 2, width: 595.3, height: 841.9), .element(page: 2, kind: 200, payload: [255]),
    ]
    #expect(try importAll(Array(text.utf8)) == expected)
    #expect(try importAll(gzip(Array(text.utf8))) == expected)
  }

  @Test(arguments: [
    ("{\"width\":1,\"x\":[1,2],\"y\":[1]}", "y has 1 values, x has 2"),
    ("{\"width\":1,\"x\":[1],\"y\":[1],\"time\":[1,2]}", "time has 2 values"),
    ("{\"width\":1,\"x\":[],\"y\":[]}", "no samples"), ("{\"width\":1,\"x\":[1]}", "no y"),
    ("{\"x\":[1],\"y\":[1]}", "no width"), ("{\"width\":-1,\"x\":[1],\"y\":[1]}", "width"),
    ("{\"width\":\"2\",\"x\":[1],\"y\":[1]}", "width"), ("{\"width\":1,\"x\":[null],\"y\":[1]}", "x[0]"),
    ("{\"width\":1,\"x\":[1e999],\"y\":[1]}", "not representable"),
    ("{\"width\":1,\"x\":[NaN],\"y\":[1]}", "no JSON"),
    ("{\"width\":1,\"x\":1,\"y\":[1]}", "x has to be an array"),
    ("{\"width\":1,\"x\":[01],\"y\":[1]}", "no JSON"),
    ("{\"width\":1,\"x\":[1],\"y\":[1],\"tool\":256}", "tool"),
    ("{\"width\":1,\"x\":[1],\"y\":[1],\"tool\":\"Pen\"}", "tool"),
    ("{\"width\":1,\"x\":[1],\"y\":[1],\"color\":\"red\"}", "color"),
    ("{\"width\":1,\"x\":[1],\"y\":[1],\"flags\":-1}", "flags"),
    ("{\"width\":1,\"x\":[1],\"y\":[1],\"extra\":\"A\"}", "extra"),
    ("{\"width\":1,\"x\":[1],\"y\":[1],\"start\":1e30}", "start"),
    ("{\"width\":1,\"x\":[1],\"y\":[1],\"time\":[1e30]}", "time[0]"),
    ("{\"width\":1,\"x\":[1],\"y\":[1],\"page\":0}", "page"),
    ("{\"width\":1,\"x\":[1],\"y\":[1],\"page\":100001}", "page"), ("{\"kind\":0,\"payload\":\"\"}", "kind"),
    ("{\"kind\":5}", "payload"), ("{\"kind\":5,\"payload\":\"A===\"}", "payload"),
    ("{\"pageSize\":[0,1]}", "pageSize"),
    ("{\"pageSize\":[1,1e7]}", "pageSize"),
    ("{\"width\":1", "end of file"), ("[1]", "object"), ("{\"width\":1} x", "around character 12"),
    ("{\"tool\":\"\\ud800\"}", "no JSON"),
    ("stroke", "no JSON"), ("{\"tool\":\"\u{1}\"}", "control"), ("{\"a\":tru}", "no JSON"),
  ])
  func aMalformedLineEndsTheImportAndIsNamed(line: String, cause: String) {
    let good = "{\"width\":1,\"x\":[1],\"y\":[1]}"
    let error = importError("\(good)\n\n\(line)\n\(good)\n")
    #expect(error?.code == .malformed)
    #expect(error?.line == 3)
    #expect(error?.cause.contains(cause) == true, "\(String(describing: error))")
    #expect(error?.description.hasPrefix("test, line 3: ") == true)
  }

  @Test func sharedSessionsComeBackEqualAfterExportAndImport() throws {
    for name in try SharedInk.names(in: "sessions") {
      let bytes = try #require(try SharedInk.bytes("sessions/" + name))
      let items = try importAll(bytes)
      #expect(items.strokes.count == bytes.count { $0 == UInt8(ascii: "\n") }, "\(name)")
      var exported: [UInt8] = []
      var exporter = NDJSONExporter { exported += $0 }
      for stroke in items.strokes { try exporter.add(.stroke(stroke)) }
      #expect(try importAll(exported) == items, "\(name)")
    }
  }

  @Test func storedStrokesComeBackEqualAfterExportAndImport() throws {
    let seed: UInt64 = 4_711
    var random = SeededGenerator(seed: seed)
    for round in 0..<300 {
      let stroke = Self.storedStroke(&random)
      let payload = (0..<Int.random(in: 0...40, using: &random)).map { _ in
        UInt8.random(in: 0...255, using: &random)
      }
      let kind = UInt8.random(in: 2...255, using: &random)
      var text: [UInt8] = []
      var exporter = NDJSONExporter { text += $0 }
      try exporter.beginPage(ExportPage(number: 7, width: 595.3, height: 841.9))
      try exporter.add(.stroke(stroke))
      try exporter.add(.element(kind: kind, payload: payload))
      let expected: [ImportItem] = [
        .pageSize(page: 7, width: 595.3, height: 841.9), .stroke(page: 7, stroke),
        .element(page: 7, kind: kind, payload: payload),
      ]
      #expect(try importAll(text) == expected, "seed \(seed), round \(round)")
      let line = String(decoding: text, as: UTF8.self)
      #expect(line.firstMatch(of: /\.\d{4}/) == nil, "seed \(seed), round \(round): \(line)")
    }
  }

  @Test func floatNoiseIsNotPrintedAndNothingElseIsRounded() throws {
    var text = ""
    var exporter = NDJSONExporter { text += String(decoding: $0, as: UTF8.self) }
    let x: [Double] = [
      0.1 + 0.2, 0.1 * 3, 1.1 * 1.1, -0.0, 12, 1.0 / 3, 1e-9, 1e300, -88.712345678901, 214748364.7,
    ]
    try exporter.add(.stroke(Stroke(width: 1.41, x: x, y: x)))
    #expect(
      text.contains("\"x\":[0.3,0.3,1.21,0,12,0.3333333333333333,1e-09,1e+300,-88.712345678901,214748364.7]"))
    let back = try #require(try importAll(Array(text.utf8)).strokes.first)
    #expect(back.x[3...] == x[3...])
  }

  @Test func everyNumberIsReadAsTheNearestDouble() throws {
    let seed: UInt64 = 1_234
    var random = SeededGenerator(seed: seed)
    var texts = [
      "1e-323", "-0", "123456789012345678901234567890.5e-10", "9223372036854775808", "1E22",
      "1e+23",
    ]
    for _ in 0..<3_000 {
      let digits = Int.random(in: 1...25, using: &random)
      let fraction = (0..<digits).map { _ in String(Int.random(in: 0...9, using: &random)) }.joined()
      texts.append("\(Int.random(in: -99_999...99_999, using: &random)).\(fraction)")
      texts.append(texts[texts.count - 1] + "e\(Int.random(in: -40...40, using: &random))")
    }
    for text in texts {
      let value = try JSONValue(parsing: Array(text.utf8)).double
      let inArray = try JSONValue(parsing: Array("[\(text)]".utf8)).array?[0].double
      #expect(inArray == Double(text), "seed \(seed), \(text)")
      #expect(value == Double(text), "seed \(seed), \(text)")
    }
  }

  @Test func wholeNumbersKeepEveryDigitAndBooleansAreNoNumbers() throws {
    let text = """
      {"a":[9223372036854775807,-9223372036854775808,9007199254740993,1],"b":[true,1,0,false],"c":12.0,
      "d":-0.0,"e":9223372036854775808,"f":[],"g":[[1,2.5],null,"é\\ud83d\\ude00",{}]}
      """
    let json = try JSONValue(parsing: Array(text.utf8))
    #expect(
      json["a"] == .array([.integer(.max), .integer(.min), .integer(9_007_199_254_740_993), .integer(1)]))
    #expect(json["b"] == .array([.bool(true), .integer(1), .integer(0), .bool(false)]))
    #expect(json["c"] == .integer(12))
    #expect(json["d"]?.double?.sign == .minus)
    #expect(json["e"] == .number(9_223_372_036_854_775_808))
    #expect(json["f"] == .array([]))
    #expect(json["g"] == .array([.array([.integer(1), .number(2.5)]), .null, .string("é😀"), .object([:])]))
    #expect(throws: FormatError.self) { try JSONValue(parsing: [0x22, 0xFF, 0x22]) }
  }

  @Test func aLineOfSamplesIsReadExactly() throws {
    let x = (0..<50_000).map { Double($0) / 10 - 700 }
    let time = (0..<50_000).map { Int64($0) * 4 }
    let text = "{\"width\":1,\"x\":\(x),\"y\":\(x),\"time\":\(time)}"
    let stroke = try #require(try importAll(Array(text.utf8)).strokes.first)
    #expect(stroke.x == x)
    #expect(stroke.y == x)
    #expect(stroke.time == time)
  }

  @Test func aStrokeThatJSONCannotSayIsRefusedAndNothingIsWritten() {
    var lines = 0
    var exporter = NDJSONExporter { _ in lines += 1 }
    let strokes = [
      Stroke(width: .nan, x: [1], y: [1]), Stroke(width: 1, x: [.infinity], y: [1]),
      Stroke(width: 1, x: [1], y: []),
      Stroke(width: 1, x: [1], y: [1], pressure: [.nan]), Stroke(width: 1, x: [1], y: [1], time: []),
    ]
    for stroke in strokes {
      #expect(throws: TransferError<Never>.self) { try exporter.add(.stroke(stroke)) }
    }
    #expect(lines == 0)
  }

  @Test func theSameFormIsReadFromDecodersOfOthers() throws {
    struct Operation: Decodable {
      var op: String
      var stroke: StrokeRecord
    }
    let text = """
      {"op":"append","stroke":{"width":2.5,"x":[1,2.5],"y":[3,4],"time":[0,7],
      "start":9007199254740993,"tool":7}}
      """
    let operation = try JSONDecoder().decode(Operation.self, from: Data(text.utf8))
    let stroke = Stroke(
      tool: Tool(rawValue: 7), width: 2.5, start: 9_007_199_254_740_993, x: [1, 2.5], y: [3, 4], time: [0, 7])
    #expect(operation.stroke.stroke == stroke)
    let json = try JSONValue(parsing: Array(text.utf8))
    #expect(try Stroke(json: #require(json["stroke"])) == stroke)
    #expect(json["op"]?.string == "append")
  }

  @Test func aSinkThatThrowsEndsTheExport() {
    struct Full: Error {}
    var exporter = NDJSONExporter { (_: [UInt8]) throws(Full) in throw Full() }
    #expect(throws: TransferError<Full>.self) { try exporter.add(.element(kind: 3, payload: [])) }
  }

  /// A stroke whose values are those that the store gives back.
  static func storedStroke(_ random: inout SeededGenerator) -> Stroke {
    let count = Int.random(in: 1...30, using: &random)
    func column(_ range: ClosedRange<Int>, per unit: Double) -> [Double] {
      (0..<count).map { _ in Double(Int.random(in: range, using: &random)) / unit }
    }
    var stroke = Stroke(
      tool: Tool(rawValue: UInt8.random(in: 0...5, using: &random)),
      width: Double(Int.random(in: 0...3000, using: &random)) / 100,
      x: column(-2_147_483_647...2_147_483_647, per: 10), y: column(-9_000...9_000, per: 10))
    if Bool.random(using: &random) { stroke.color = UInt32.random(in: 0...UInt32.max, using: &random) }
    if Bool.random(using: &random) { stroke.flags = UInt32.random(in: 0...UInt32.max, using: &random) }
    if Bool.random(using: &random) { stroke.start = Int64.random(in: Int64.min...Int64.max, using: &random) }
    if Bool.random(using: &random) { stroke.radius = column(0...500, per: 10) }
    if Bool.random(using: &random) { stroke.pressure = column(0...6_667, per: 1000) }
    if Bool.random(using: &random) {
      stroke.time = (0..<count).map { _ in Int64.random(in: -100_000...10_000_000, using: &random) }
    }
    if Bool.random(using: &random) { stroke.extra = [0, 255, UInt8.random(in: 0...255, using: &random)] }
    return stroke
  }

  /// Foundation makes no Double of the first; both are 0, as every reader of IEEE numbers says.
  @Test(arguments: ["1e-400", "0e3", "-0"]) func aNumberTooCloseToZeroForADoubleIsZero(number: String) throws
  {
    #expect(importError("{\"width\":1,\"x\":[\(number)],\"y\":[1]}\n") == nil)
  }
}
