import { describe, expect, it } from 'vitest';
import { connectorApp } from '../../src/connectors/connector-app.ts';
import { createEvents } from '../../src/events/events.ts';
import { openConnectorSettings } from '../../src/library/choice-tables.ts';
import { startSigningStore } from '../support/signing-store.ts';
import { openWorld } from '../support/world.ts';

const DEFAULTS = { media: true, questions: true, sampling: false, roots: false };

describe('the settings of a connector', () => {
  it('are the defaults until the user changes them, for one connector, in every process', async () => {
    const store = await startSigningStore();
    const { storage } = await openWorld(store);
    const events = createEvents(() => undefined);
    const told: unknown[] = [];
    events.subscribe((event) => told.push(event));
    const settings = openConnectorSettings(storage, events);
    const other = openConnectorSettings(storage, events);
    expect(settings.of('a')).toEqual(DEFAULTS);
    settings.change('a', { media: false, roots: true });
    settings.change('a', { roots: false });
    expect(other.of('a')).toEqual({ ...DEFAULTS, media: false });
    expect(other.of('b')).toEqual(DEFAULTS);
    expect(told).toEqual([
      { type: 'connector-changed', appId: 'a' },
      { type: 'connector-changed', appId: 'a' },
    ]);
  });

  it('are deleted with the connector', async () => {
    const store = await startSigningStore();
    const { storage, library } = await openWorld(store);
    const settings = openConnectorSettings(
      storage,
      createEvents(() => undefined),
    );
    const app = connectorApp('https://mcp.example.com/mcp', false);
    library.addConnector(app);
    settings.change(app.appId, { sampling: true });
    library.remove(app.appId);
    expect(settings.of(app.appId)).toEqual(DEFAULTS);
  });
});
