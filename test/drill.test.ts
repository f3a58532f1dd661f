import { DEEP } from '@svc/testkit';
import { expect, it } from 'vitest';
import { drillWithPrograms } from '../tools/bench/drill-programs.ts';

it(
  'a yank survives SIGKILL of the store, and reaches a desktop and the gateway of an agent',
  DEEP,
  async () => {
    const { before, whileDown, after } = await drillWithPrograms();
    expect(before).toBeGreaterThan(0);
    // The client says that it could not ask, and goes on with what it knows.
    expect(whileDown).toEqual({ refused: 'store-unreachable', off: false, offered: before });
    expect(after).toEqual({ off: true, offered: 0 });
  },
);
