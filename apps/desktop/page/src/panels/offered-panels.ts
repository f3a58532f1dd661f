import type { AppView } from '../../../src/wire/views.ts';

/** The panels of the apps that are on. */
export const offeredPanels = (apps: readonly AppView[]) =>
  apps
    .filter(({ on, withdrawn }) => on && !withdrawn)
    .flatMap((app) => (app.manifest.contributes.panels ?? []).map(({ id, title }) => ({ app, id, title })));
