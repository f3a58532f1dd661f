/** Degrees between the colours of two names that follow one another: no small number of steps comes back to one. */
const STEP = 137;

/** The initials of an agent or a server, in a colour of its name: svc draws no logos of others, as it has no licence for them. */
export function Monogram({ name }: { name: string }) {
  const words = name.trim().split(/\s+/);
  const initials =
    words.length > 1 ? words.slice(0, 2).map((word) => [...word][0]) : [...(words[0] ?? '')].slice(0, 2);
  const hue = [...name].reduce((sum, sign) => (sum * 31 + (sign.codePointAt(0) ?? 0)) % 997, 0) * STEP;
  return (
    <span
      className="app-icon monogram"
      aria-hidden="true"
      style={{ '--hue': hue % 360 } as React.CSSProperties}
    >
      {initials.join('') || '?'}
    </span>
  );
}
