// SPDX-License-Identifier: Apache-2.0

import InkElements

/// Turns an image element into SVG.
enum SVGImage {
  /// The element: the picture itself where there is data, else a dashed frame.
  static func element(
    _ image: ImageElement, data: (data: [UInt8], type: ImageType)?, page: Int
  ) throws(FormatError) -> [UInt8] {
    guard let x = SVGLength.hundredths(image.x), let y = SVGLength.hundredths(image.y),
      let width = SVGLength.hundredths(image.width), let height = SVGLength.hundredths(image.height),
      let centreX = SVGLength.hundredths(image.x + image.width / 2),
      let centreY = SVGLength.hundredths(image.y + image.height / 2),
      let rotation = SVGLength.hundredths(image.rotation), width >= 0, height >= 0
    else { throw FormatError(.unsupported, cause: "an image on page \(page) is where it cannot be drawn") }
    var place = " x=\"\(SVGLength.text(x))\" y=\"\(SVGLength.text(y))\""
    place += " width=\"\(SVGLength.text(width))\" height=\"\(SVGLength.text(height))\""
    if rotation != 0 {
      let centre = "\(SVGLength.text(centreX)) \(SVGLength.text(centreY))"
      place += " transform=\"rotate(\(SVGLength.text(rotation)) \(centre))\""
    }
    guard let data else {
      let frame = "<rect\(place) fill=\"#eee\" stroke=\"#999\" stroke-dasharray=\"4\"><title>image "
      return Array("\(frame)\(assetID(image))</title></rect>\n".utf8)
    }
    var text = Array(
      "<image\(place) preserveAspectRatio=\"none\" href=\"data:\(data.type.mimeType);base64,".utf8)
    text += Base64.encoded(data.data)
    text += "\"/>\n".utf8
    return text
  }

  private static func assetID(_ image: ImageElement) -> String {
    let digits = [image.assetHigh, image.assetLow].map { half in
      let text = String(half, radix: 16)
      return String(repeating: "0", count: 16 - text.count) + text
    }
    .joined()
    var id = ""
    for (index, digit) in digits.enumerated() {
      if [8, 12, 16, 20].contains(index) { id.append("-") }
      id.append(digit)
    }
    return id
  }
}
