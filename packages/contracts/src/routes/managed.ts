import { ManagedChange, SignedManagedSettings, StoreManagedSettings } from '../records/managed.ts';
import { route } from './route.ts';

/** What a company sets for the desktops of its store. */
export const managedRoutes = {
  managedSettings: route.keys('members GET /api/managed-settings', {
    summary: 'Get the settings that the company of this store sets for all desktops, signed.',
    success: { status: 200, body: SignedManagedSettings },
  }),
  storeManagedSettings: route.administration('admin GET /api/admin/managed-settings', {
    summary: 'Get the settings that this store sets for all desktops.',
    success: { status: 200, body: StoreManagedSettings },
  }),
  changeManagedSettings: route.administration('admin PUT /api/admin/managed-settings', {
    summary:
      'Set what this store sets for all desktops. The same settings change nothing; settings that contradict each other are refused.',
    effects: ['changes-store'],
    body: ManagedChange,
    maxBody: 512 * 1024,
    success: { status: 200, body: StoreManagedSettings },
    errors: ['already_handled'],
  }),
};
