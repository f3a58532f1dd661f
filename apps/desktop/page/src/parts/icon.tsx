import { useState } from 'react';
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
  return <img className="icon" src={rasterOf(url)} alt="" loading="lazy" onError={() => setBroken(true)} />;
}

/** The picture of an installed app, from its verified bundle. */
export function AppIcon({ appId, version, name }: { appId: string; version: string; name: string }) {
  const [broken, setBroken] = useState(false);
  // The version is in the key alone: an update may bring another picture.
  const icon = useBlob(`/icons/${encodeURIComponent(appId)}`, version);
  if (broken || icon.url === null) return <Letter name={name} />;
  return <img className="icon" src={icon.url} alt="" onError={() => setBroken(true)} />;
}

/** A picture of a verified bundle on this computer, such as that of an update before it is installed. */
export function BundlePicture({ sha256, path, alt }: { sha256: string; path: string; alt: string }) {
  const [broken, setBroken] = useState(false);
  const picture = useBlob(`/pictures/${sha256}/${encodeURIComponent(path)}`);
  if (broken || picture.error) return <span className="soft">{WORDS.permissions.noPicture}</span>;
  if (picture.url === null) return <span className="icon" />;
  return <img className="icon" src={picture.url} alt={alt} onError={() => setBroken(true)} />;
}
