import { describe, expect, it } from 'vitest';
import { openAccessRules } from '../../../../src/core/domain/identity/access-rules.ts';
import { openTestStore } from '../../../support/test-store.ts';

const NOTHING_GIVEN = { signUp: null, publishers: null, read: null, roles: null };

describe('the access rules', () => {
  it('leave the store open by default', async () => {
    const { stores } = await openTestStore();
    const rules = await openAccessRules(NOTHING_GIVEN, stores.chosenRules);
    expect(rules.now()).toEqual({ signUp: 'open', publishers: 'open', read: 'public', roles: 'grace' });
    expect(rules.given).toEqual({});
  });

  it('store the choices of the administrator, for every process', async () => {
    const { stores } = await openTestStore();
    const [one, other] = await Promise.all([
      openAccessRules(NOTHING_GIVEN, stores.chosenRules),
      openAccessRules(NOTHING_GIVEN, stores.chosenRules),
    ]);
    await stores.chosenRules.choose({ read: 'members', signUp: 'invited' });
    await stores.chosenRules.choose({ signUp: 'closed' });
    await one.refresh();
    expect(one.now()).toEqual({ signUp: 'closed', publishers: 'open', read: 'members', roles: 'grace' });
    expect(other.now().read).toBe('public');
    await other.refresh();
    expect(other.now()).toEqual(one.now());
  });

  it('prefer a setting to the choice of the administrator', async () => {
    const { stores } = await openTestStore();
    await stores.chosenRules.choose({ read: 'public', publishers: 'open' });
    const rules = await openAccessRules({ ...NOTHING_GIVEN, read: 'members' }, stores.chosenRules);
    expect(rules.now()).toMatchObject({ read: 'members', publishers: 'open' });
    expect(rules.given).toEqual({ read: 'members' });
  });

  it('stay unchanged when they cannot be read', async () => {
    let isDown = false;
    const chosen = async () => {
      if (isDown) throw new Error('away');
      return { signUp: 'closed', publishers: 'open', read: 'members', roles: 'any' } as const;
    };
    const rules = await openAccessRules(NOTHING_GIVEN, { chosen });
    isDown = true;
    await expect(rules.refresh()).rejects.toThrow('away');
    expect(rules.now().read).toBe('members');
  });
});
