import type { InstalledApp } from '../library/installed-app.ts';
import type { CardApp } from './card.ts';

/** How a card names an app. */
export const cardAppOf = ({ appId, version, manifest }: InstalledApp): CardApp => ({
  appId,
  name: manifest.name,
  version,
  publisher: manifest.publisher || null,
});
