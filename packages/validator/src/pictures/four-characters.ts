/** The four bytes at a position as characters: the chunk types of PNG and RIFF. */
export function fourCharacters(view: DataView, at: number): string {
  const [a, b, c, d] = [
    view.getUint8(at),
    view.getUint8(at + 1),
    view.getUint8(at + 2),
    view.getUint8(at + 3),
  ];
  return String.fromCharCode(a, b, c, d);
}
