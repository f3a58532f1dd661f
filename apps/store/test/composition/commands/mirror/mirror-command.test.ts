import { describe, expect, it } from 'vitest';
import { mirrorCommand } from '../../../../src/composition/commands/mirror/mirror-command.ts';
import { readSettings } from '../../../../src/composition/settings.ts';
import { tempFolder } from '../../../support/backup.ts';

describe('svc-store mirror', () => {
  it.each([
    [{}, 'Name the folder or the bucket'],
    [{ to: '' }, 'Name the folder or the bucket'],
    [{ to: '/srv/mirror', every: 'often' }, '--every takes a number of seconds'],
    [{ to: '/srv/mirror', every: '5' }, 'from 10 to 3600'],
    [{ to: 's3://apps/mirror' }, 'AWS_ACCESS_KEY_ID'],
  ])('refuses %j in one line', async (options, message) => {
    const settings = readSettings({ SVC_DATA_DIR: await tempFolder() });
    const run = mirrorCommand.run({ operands: [], options }, settings, {} as never);
    await expect(run).rejects.toThrow(message);
  });
});
