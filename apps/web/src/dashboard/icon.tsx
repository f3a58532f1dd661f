/** The path of the drawing of a public icon. */
export const drawingOf = (url: string | null): string | null =>
  url === null ? null : `${new URL(url).pathname}?raster=192`;

/** The icon of an app, or the first letter of its name while the app has no public version. */
export const Icon = ({ path, name, side }: { path: string | null; name: string; side: 44 | 64 }) =>
  path === null ? (
    <span className={`app-icon letter-${side}`} aria-hidden="true">
      {Array.from(name.trim())[0] ?? '?'}
    </span>
  ) : (
    <img className="app-icon" src={path} alt="" width={side} height={side} loading="lazy" />
  );
