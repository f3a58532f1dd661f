import { useState } from 'react';
import type { AppView } from '../../../src/wire/views.ts';
import { Letter } from './parts.tsx';
import { useBlob } from './use-blob.ts';

/** A picture of the store, which the desktop reads from its mirrors or from it: null until it is there, and where it cannot be shown. */
function useStorePicture(url: string): string | null {
  return useBlob(`/store-picture?of=${encodeURIComponent(url)}`).url;
}

/** The icon of an app in the store. */
export function StoreIcon({ name, url }: { name: string; url: string }) {
  const [broken, setBroken] = useState(false);
  const src = useStorePicture(url);
  if (broken || src === null) return <Letter name={name} />;
  return <img className="app-icon" src={src} alt="" onError={() => setBroken(true)} />;
}

/** A screenshot of an app in the store. */
export function StoreScreenshot({ url, alt, className }: { url: string; alt: string; className?: string }) {
  const src = useStorePicture(url);
  return src === null ? null : <img src={src} alt={alt} className={className} />;
}

/** The icon of an installed app, from its verified bundle. */
export function AppIcon({ appId, version, name }: { appId: string; version: string; name: string }) {
  const [broken, setBroken] = useState(false);
  // The version is only a cache key: an update may bring another icon.
  const icon = useBlob(`/icons/${encodeURIComponent(appId)}`, version);
  if (broken || icon.url === null) return <Letter name={name} />;
  return <img className="app-icon" src={icon.url} alt="" onError={() => setBroken(true)} />;
}

/**
 * The icon of a panel with `"icon": "branding"`: the mark of its app in the current text colour, or the app's icon if it has no mark.
 * Other panels have no icon.
 */
export function PanelIcon({ app, panelId }: { app: AppView; panelId: string }) {
  const panel = app.manifest.contributes.panels?.find(({ id }) => id === panelId);
  if (panel?.icon !== 'branding') return null;
  return app.manifest.branding?.mark === undefined ? <SmallIcon app={app} /> : <Mark app={app} />;
}

function SmallIcon({ app: { appId, version, manifest } }: { app: AppView }) {
  return (
    <span className="panel-icon">
      <AppIcon appId={appId} version={version} name={manifest.name} />
    </span>
  );
}

function Mark({ app }: { app: AppView }) {
  const mark = useBlob(`/marks/${encodeURIComponent(app.appId)}`, app.version);
  if (mark.error) return <SmallIcon app={app} />;
  if (mark.url === null) return <span className="mark" hidden />;
  return <span className="mark" aria-hidden="true" style={{ maskImage: `url("${mark.url}")` }} />;
}

/** An image from a verified bundle on this computer, such as the icon of an update before it is installed. */
export function BundlePicture({ sha256, path, alt }: { sha256: string; path: string; alt: string }) {
  const [broken, setBroken] = useState(false);
  const picture = useBlob(`/pictures/${sha256}/${encodeURIComponent(path)}`);
  if (broken || picture.error) return <span className="soft">This image cannot be shown.</span>;
  if (picture.url === null) return <span className="app-icon" />;
  return <img className="app-icon" src={picture.url} alt={alt} onError={() => setBroken(true)} />;
}
