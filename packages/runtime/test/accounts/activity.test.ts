import { stat } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { openActivity } from '../../src/accounts/activity.ts';
import { tempFolder } from '../support/temp-folder.ts';

const APP = 'com.example.notes';
const use = (number: number) => ({
  host: 'a.example',
  tool: `tool_${number}`,
  at: '2026-01-01T00:00:00.000Z',
});

describe('the token activity', () => {
  it('is kept per account and app, newest first, and is available to the next process', async () => {
    const folder = path.join(await tempFolder(), 'new');
    const [one, two] = [openActivity(folder), openActivity(folder)];
    one.add(APP, 'main', use(1));
    two.add(APP, 'main', use(2));
    two.add(APP, 'other', use(3));
    one.add('com.example.else', 'main', use(4));
    one.close();
    two.close();
    const again = openActivity(folder);
    expect(again.latest(APP, 'main')).toEqual([use(2), use(1)]);
    expect(again.latest(APP, 'main', 1)).toEqual([use(2)]);
    expect(again.latest(APP, 'nobody')).toEqual([]);
    again.close();
    expect((await stat(path.join(folder, 'activity.sqlite'))).mode & 0o777).toBe(0o600);
  });

  it('keeps the begin of long names', async () => {
    const activity = openActivity(await tempFolder());
    activity.add(APP, 'main', { ...use(1), host: 'h'.repeat(300), tool: 't'.repeat(300) });
    expect(activity.latest(APP, 'main')).toEqual([
      { ...use(1), host: 'h'.repeat(253), tool: 't'.repeat(253) },
    ]);
    activity.close();
  });

  it('keeps the latest 2,000 uses of each account, and a busy account does not displace the uses of others', async () => {
    const folder = await tempFolder();
    const activity = openActivity(folder);
    activity.add(APP, 'quiet', use(0));
    for (let number = 1; number <= 2_300; number += 1) activity.add(APP, 'busy', use(number));
    const kept = activity.latest(APP, 'busy', 10_000);
    expect(kept).toHaveLength(2_000);
    expect(kept[0]).toEqual(use(2_300));
    expect(activity.latest(APP, 'quiet')).toEqual([use(0)]);
    expect(activity.latest(APP, 'busy')).toHaveLength(100);
    // Before the next ones are deleted.
    for (let number = 2_301; number <= 2_350; number += 1) activity.add(APP, 'busy', use(number));
    expect(activity.latest(APP, 'busy', 10_000)).toHaveLength(2_000);
    activity.close();
    const database = new DatabaseSync(path.join(folder, 'activity.sqlite'), { readOnly: true });
    const stored = database.prepare('select account_id, count(*) as uses from uses group by account_id');
    expect(stored.all()).toMatchObject([
      { account_id: 'busy', uses: 2_050 },
      { account_id: 'quiet', uses: 1 },
    ]);
    database.close();
  });
});
