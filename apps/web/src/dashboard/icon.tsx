/** The icon of an app; its place stays empty while nothing of it is public. */
export const Icon = ({ url, side }: { url: string | null; side: number }) =>
  url === null ? (
    <svg className="icon" width={side} height={side} viewBox="0 0 10 10" aria-hidden="true">
      <rect x="0.5" y="0.5" width="9" height="9" rx="2" />
    </svg>
  ) : (
    <img className="icon" src={`${new URL(url).pathname}?raster`} alt="" width={side} height={side} />
  );
