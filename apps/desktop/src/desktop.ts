import type { Runtime } from '@svc/runtime';
import type { CardDesk } from './cards/card-desk.ts';
import type { Settings } from './settings/settings.ts';

/** What the page, the gateway and development all work on. */
export type Desktop = { runtime: Runtime; desk: CardDesk; settings: Settings };
