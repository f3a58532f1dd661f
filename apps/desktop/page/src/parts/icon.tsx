import { useState } from 'react';
import { Letter } from './parts.tsx';
import { useBlob } from './use-blob.ts';

/** The picture of an app in the store. Only the store's own: the page's policy lets no other be loaded. */
export function StoreIcon({ name, url }: { name: string; url: string }) {
  const [broken, setBroken] = useState(false);
  if (broken) return <Letter name={name} />;
  return <img className="icon" src={url} alt="" loading="lazy" onError={() => setBroken(true)} />;
}

/** The picture of an installed app, from its verified bundle. */
export function AppIcon({ appId, version, name }: { appId: string; version: string; name: string }) {
  const [broken, setBroken] = useState(false);
  // The version is in the key alone: an update may bring another picture.
  const icon = useBlob(`/icons/${encodeURIComponent(appId)}`, version);
  if (broken || icon.url === null) return <Letter name={name} />;
  return <img className="icon" src={icon.url} alt="" onError={() => setBroken(true)} />;
}
