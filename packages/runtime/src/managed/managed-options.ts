import type { ManagedSettings } from '@svc/contracts';

/** What the operator of a machine, or the client, sets for the runtime. */
export type ManagedOptions = {
  /** The settings of the machine, as in `managed.json`. */
  settings: ManagedSettings;
  /**
   * Whether the settings that the store serves are in force too. It needs the key of the store (`pin`): a key that is trusted on first use
   * may be that of any server. Until the first ones are accepted, nothing that they could refuse is allowed.
   */
  fromStore: boolean;
};
