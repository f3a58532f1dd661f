/** The icon of an app, or the first letter of its name while the app has no public version. */
export const Icon = ({ url, name, side }: { url: string | null; name: string; side: 44 | 64 }) =>
  url === null ? (
    <span className={`app-icon letter-${side}`} aria-hidden="true">
      {Array.from(name.trim())[0] ?? '?'}
    </span>
  ) : (
    <img className="app-icon" src={`${new URL(url).pathname}?raster`} alt="" width={side} height={side} />
  );
