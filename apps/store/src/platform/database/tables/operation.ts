import type { AuditAction, AuditDetail, CaseKind, DecisionKind, Emergency, Report } from '@svc/contracts';
import type { ColumnType, Generated } from 'kysely';
import type { Flag, Json, JsonText } from './columns.ts';

/** Rules, decisions, the audit log, and what the store needs to work. */
export type OperationTables = {
  /** The published versions of the policy after the built-in one. */
  policies: { version: number; intro: string; rules_json: string; note: string; published_at: string };
  /** Decisions against publishers, each citing a rule of a version of the policy, and the appeal of it. */
  decisions: {
    id: string;
    kind: DecisionKind;
    publisher: string;
    app_id: string | null;
    version: string | null;
    rule: string;
    policy: number;
    note: string;
    decided_by: string;
    decided_at: string;
    appeal_state: Generated<string | null>;
    appealed_at: Generated<string | null>;
    answer: Generated<string | null>;
    answered_by: Generated<string | null>;
    answered_at: Generated<string | null>;
  };
  appeal_messages: {
    decision_id: string;
    number: number;
    side: string;
    author: string;
    written_at: string;
    text: string;
  };
  revocation_list: { id: number; list_json: string };
  /** The public keys of the store, in one row. */
  key_chain: { id: number; keys_json: string };
  /** The log of what changes trust: each entry as its canonical JSON, by its index. */
  log_entries: {
    idx: number;
    kind: string;
    app_id: string | null;
    version: string | null;
    publisher: string | null;
    entry: string;
  };
  /** In one row: how much of the log is published, with the edge of its tree, and the last checkpoint. */
  log_state: { id: number; size: number; edge_json: string; checkpoint: string; begun_at: string | null };
  used_blobs: { sha256: string };
  doomed_blobs: { sha256: string; doomed_at: string };
  blob_owner: { id: number; name: string };
  marks: { subject: string; marked_at: string };
  relay_entries: {
    state_hash: string;
    sealed: string | null;
    network: string;
    /** The network of the browser, to compare with those of clients; null in rows of earlier versions. */
    browser: string | null;
    ticket_hash: string | null;
    confirmed: Flag;
    tries: number;
    expires_at: string;
  };
  relay_clients: {
    state_hash: string;
    network: string;
    site: string;
    app_id: string | null;
    expires_at: string;
  };
  /** Secrets of the store, by purpose. */
  store_secrets: { name: string; secret: string };
  /** The access rules that an administrator chose: who may sign up, publish and read. */
  access_rules: { rule: string; choice: string };
  /** What administrators chose: `name`, `accent`, the SHA-256 of the `logo`, and its `picture`, a PNG in base64. */
  brand: { part: string; value: string };
  /** What the store sets for all desktops, in one row. */
  /** How far the audit log is delivered to the collector of the operator, in one row; a process has its turn until a time. */
  audit_delivery: { id: number; after_id: number; delivered_at: string | null; turn_until: string | null };
  managed_settings: { id: number; settings_json: string; changed_at: string };
  /** The stores whose apps this store carries: their trusted keys, and the lists of them that were accepted last. */
  upstreams: {
    id: string;
    address: string;
    keys_json: string;
    choices_json: string;
    /** The last accepted revocation list, and the ETag with which it was served; no ETag when it is to be applied again. */
    list_json: string | null;
    list_tag: string | null;
    /** Until which publication its catalogue was read. */
    read_until: string | null;
    added_at: string;
    reached_at: string | null;
    failure_json: string | null;
    failing_since: string | null;
    turn_until: string | null;
    /** Of one that is read from files: who signs them, and the last one. */
    file_json: string | null;
    /** The process that follows it, and until when no other one does. */
    leader: string | null;
    leader_until: string | null;
  };
  /** The apps of upstreams that were looked at, with the last accepted head of each. */
  carried_apps: {
    upstream: string;
    app_id: string;
    version: string;
    state: string;
    note: string;
    head_json: string | null;
    checked_at: string;
  };
  audit_log: {
    id: Generated<number>;
    at: string;
    actor: string;
    action: AuditAction;
    app_id: string | null;
    version: string | null;
    publisher: string | null;
    token_id: string | null;
    address: string | null;
    request_id: string | null;
    detail_json: Json<AuditDetail>;
  };
  /** Cases that are assigned to moderators, by the name on record. Those of versions are in their rows. */
  case_assignments: { kind: CaseKind; subject: string; assigned_to: string };
  /** Reports of apps by users. */
  reports: {
    id: string;
    app_id: string;
    version: string;
    publisher: string;
    person_id: string;
    category: Report['category'];
    evidence: string;
    state: Report['state'];
    note: Generated<string | null>;
    reported_at: string;
    /** The email domain of its user, and a hash of the network: what many accounts of one have in common. */
    domain: string;
    network: string;
    /** How far its user is trusted: up to 1,000. */
    weight: number;
    decided_by: Generated<string | null>;
    decided_at: Generated<string | null>;
  };
  /** Acts of administrators that stop a publisher or an app. */
  emergencies: {
    id: string;
    state: Emergency['state'];
    publisher: string;
    /** Null when it acts on all apps of the publisher. */
    app_id: string | null;
    acts_json: Json<Emergency['acts']>;
    reason: string;
    reach_json: Json<Emergency['reach']>;
    effects_json: ColumnType<JsonText<Emergency['effects']> | null, string | null | undefined, string>;
    started_by: string;
    started_at: string;
    decided_by: Generated<string | null>;
    decided_at: Generated<string | null>;
    undone_by: Generated<string | null>;
    undone_at: Generated<string | null>;
  };
  /** Tokens with which the store lists the servers of apps, encrypted, and the host that each is for. */
  reviewer_accounts: {
    app_id: string;
    host: string;
    sealed: string;
    deposited_by: string;
    deposited_at: string;
  };
};
