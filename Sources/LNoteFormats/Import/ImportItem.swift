// SPDX-License-Identifier: Apache-2.0

public import InkElements

/// One thing that an import found, in the order of the file. Pages count from 1.
public enum ImportItem: Sendable, Equatable {
  /// The document's title, at most once.
  case title(String)
  /// A page and its size in points; comes before whatever is on it, in formats that state sizes.
  case pageSize(page: Int, width: Double, height: Double)
  /// A stroke.
  case stroke(page: Int, Stroke)
  /// An element that this module gives no meaning to, or an image without its bytes.
  case element(page: Int, kind: UInt8, payload: [UInt8])
  /// An image and the bytes of its file; `type` is nil where they are of no kind known here.
  case image(page: Int, ImagePlacement, data: [UInt8], type: ImageType?)
  /// The bytes of a file that image elements name by its id (kind 2); comes before them.
  case asset(id: String, data: [UInt8], type: String)
  /// Something was imported, but a property of it could not be kept: "line style".
  case simplified(what: String, reason: String, page: Int?)
  /// Something was left out: "text", "stroke".
  case skipped(what: String, reason: String, page: Int?)
}

/// Where an image goes, in points, before it has an asset. `y` grows downwards.
public struct ImagePlacement: Sendable, Equatable {
  /// The left edge.
  public var x: Double
  /// The top edge.
  public var y: Double
  /// Above 0.
  public var width: Double
  /// Above 0.
  public var height: Double

  /// Makes a placement.
  public init(x: Double, y: Double, width: Double, height: Double) {
    self.x = x
    self.y = y
    self.width = width
    self.height = height
  }
}

/// A kind of image file, told by its first bytes and never by a name.
public enum ImageType: String, Sendable, Equatable, CaseIterable {
  /// Portable Network Graphics.
  case png
  /// JPEG.
  case jpeg
  /// GIF.
  case gif
  /// WebP.
  case webp
  /// Windows bitmap.
  case bmp
  /// TIFF.
  case tiff

  /// The kind of these bytes, or nil.
  public init?(detecting bytes: [UInt8]) {
    if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
      self = .png
    } else if bytes.starts(with: [0xFF, 0xD8, 0xFF]) {
      self = .jpeg
    } else if bytes.starts(with: Array("GIF8".utf8)) {
      self = .gif
    } else if bytes.starts(with: Array("RIFF".utf8)), bytes.dropFirst(8).starts(with: Array("WEBP".utf8)) {
      self = .webp
    } else if bytes.starts(with: Array("BM".utf8)), bytes.count >= 26 {
      self = .bmp
    } else if bytes.starts(with: [0x49, 0x49, 0x2A, 0]) || bytes.starts(with: [0x4D, 0x4D, 0, 0x2A]) {
      self = .tiff
    } else {
      return nil
    }
  }

  /// What a file of this kind is called, without the dot.
  public var fileExtension: String { self == .jpeg ? "jpg" : rawValue }
  /// The type as data URIs name it.
  public var mimeType: String { "image/" + rawValue }
}

/// Takes an item and the line that it ended on, if the format has lines; false ends the import.
typealias ItemSink = (ImportItem, _ line: Int?) -> Bool

/// The highest page number that an import accepts: a typing error must not make a million pages.
let pageLimit = 100_000

/// True for a width or height, in points, that an import accepts: the largest is 350 m.
func isPageLength(_ value: Double) -> Bool { value > 0 && value <= 1_000_000 }
