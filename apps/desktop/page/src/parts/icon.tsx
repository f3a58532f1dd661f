import { useState } from 'react';
import type { AppView } from '../../../src/wire/views.ts';
import { WORDS } from '../words.ts';
import { Letter } from './parts.tsx';
import { useBlob } from './use-blob.ts';

/** The picture as the store drew it, whatever it is made of. */
function rasterOf(url: string): string {
  const address = new URL(url);
  address.searchParams.set('raster', '');
  return address.href;
}

/** The picture of an app in the store. Only the store's own: the page's policy lets no other be loaded. */
export function StoreIcon({ name, url }: { name: string; url: string }) {
  const [broken, setBroken] = useState(false);
  if (broken) return <Letter name={name} />;
  return (
    <img className="app-icon" src={rasterOf(url)} alt="" loading="lazy" onError={() => setBroken(true)} />
  );
}

/** The picture of an installed app, from its verified bundle. */
export function AppIcon({ appId, version, name }: { appId: string; version: string; name: string }) {
  const [broken, setBroken] = useState(false);
  // The version is in the key alone: an update may bring another picture.
  const icon = useBlob(`/icons/${encodeURIComponent(appId)}`, version);
  if (broken || icon.url === null) return <Letter name={name} />;
  return <img className="app-icon" src={icon.url} alt="" onError={() => setBroken(true)} />;
}

/**
 * The icon that a panel asks for with `"icon": "branding"`: the mark of its app in the colour of the text around it, or the app's
 * icon when it has no mark. A panel that asks for none has none.
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

/** A picture of a verified bundle on this computer, such as that of an update before it is installed. */
export function BundlePicture({ sha256, path, alt }: { sha256: string; path: string; alt: string }) {
  const [broken, setBroken] = useState(false);
  const picture = useBlob(`/pictures/${sha256}/${encodeURIComponent(path)}`);
  if (broken || picture.error) return <span className="soft">{WORDS.permissions.noPicture}</span>;
  if (picture.url === null) return <span className="app-icon" />;
  return <img className="app-icon" src={picture.url} alt={alt} onError={() => setBroken(true)} />;
}
