import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { automationOf } from '@svc/testkit';
import { onTestFinished } from 'vitest';
import { portOf, start } from '../../apps/store/test/support/program.ts';
import { ADMIN_TOKEN } from '../../apps/store/test/support/test-store.ts';

/**
 * A real store with the verified publisher `example`, removed after the test, and automation to fill it.
 * @param settings further settings
 */
export async function startFilledStore(settings: Record<string, string> = {}) {
  const folder = await mkdtemp(path.join(tmpdir(), 'svc-filled-store-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const program = start({ PORT: '0', SVC_DATA_DIR: folder, SVC_ADMIN_TOKEN: ADMIN_TOKEN, ...settings });
  const url = `http://127.0.0.1:${await portOf(program)}`;
  const automation = automationOf(url, ADMIN_TOKEN);
  await automation.addPublisher({ slug: 'example', name: 'Example', verified: true });
  return { url, program, automation };
}
