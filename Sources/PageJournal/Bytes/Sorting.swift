// SPDX-License-Identifier: Apache-2.0

extension Array {
  /// The elements in order; equal ones in any. A heap sort, because the standard library's costs five kilobytes of code
  /// for each type it is used with.
  func ordered(by precedes: (Element, Element) -> Bool) -> [Element] {
    var heap = self
    var unsorted = count
    var next = count / 2
    while unsorted > 1 {
      // First every parent sinks, from the last one up; then the greatest leaves the heap, again and again.
      if next > 0 {
        next -= 1
      } else {
        unsorted -= 1
        heap.swapAt(0, unsorted)
      }
      var parent = next
      while true {
        var child = 2 * parent + 1
        guard child < unsorted else { break }
        if child + 1 < unsorted, precedes(heap[child], heap[child + 1]) { child += 1 }
        guard precedes(heap[parent], heap[child]) else { break }
        heap.swapAt(parent, child)
        parent = child
      }
    }
    return heap
  }
}

extension Array where Element: Comparable {
  /// The elements in ascending order.
  func ordered() -> [Element] { ordered { $0 < $1 } }
}
