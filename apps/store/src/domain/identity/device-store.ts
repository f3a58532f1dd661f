import type { TokenScope } from '@svc/contracts';

/** What a device asks for. */
export type DeviceAsked = { scopes: TokenScope[]; publisher: string | null };

/** What a person grants; null for all publishers that they act for. */
export type DeviceGrant = DeviceAsked;

/** Where a device sign-in stands. One that was exchanged for its token is not kept. */
export type DeviceState = 'pending' | 'approved' | 'denied';

/** A device sign-in under way. Neither of its codes is kept. */
export type DeviceRecord = {
  /** Hex SHA-256 of the device code. */
  deviceHash: string;
  /** Seal of the user code, which has too few random bits for a plain hash. */
  userCodeSeal: string;
  /** What asks, as it calls itself. */
  client: string;
  address: string | null;
  createdAt: string;
  expiresAt: string;
  asked: DeviceAsked;
  state: DeviceState;
};

/** What a person approved, ready to be exchanged for a token. */
export type ApprovedDevice = { client: string; personId: string; grant: DeviceGrant };

/** What the store needs to remember of device sign-ins. What has expired at `now` is as if it were not there. */
export interface DeviceStore {
  /** Keeps a new sign-in; false when another has its user code. */
  add(device: DeviceRecord): Promise<boolean>;
  countLive(now: string): Promise<number>;
  findByDevice(deviceHash: string, now: string): Promise<DeviceRecord | null>;
  findByUserCode(userCodeSeal: string, now: string): Promise<DeviceRecord | null>;
  /** Notes a poll; false when there was one after `since`. */
  poll(deviceHash: string, at: string, since: string): Promise<boolean>;
  /** Approves what is pending; false when it is not, any more. */
  approve(userCodeSeal: string, by: { personId: string; grant: DeviceGrant }, now: string): Promise<boolean>;
  /** Denies what is pending; false when it is not, any more. */
  deny(userCodeSeal: string, personId: string, now: string): Promise<boolean>;
  /** How many sign-ins a person has approved that wait to be exchanged. */
  countApproved(personId: string, now: string): Promise<number>;
  /** Takes out what was approved, once; null when it is not there, or not approved. */
  takeApproved(deviceHash: string, now: string): Promise<ApprovedDevice | null>;
  /** Forgets those that had expired at a time. */
  forgetExpired(at: string): Promise<void>;
}
