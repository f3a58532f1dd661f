/** Binary megabyte, in bytes. */
const MiB = 1024 * 1024;

/**
 * Every limit of the contract, in one place. Sizes are bytes unless the name says otherwise; text lengths are
 * UTF-16 code units, as `String.length` counts them; durations are milliseconds.
 */
export const LIMITS = {
  bundle: {
    /** Largest upload, and largest zip the store keeps. */
    bytes: 25 * MiB,
    entries: 2_000,
    inflatedBytes: 64 * MiB,
    /** Largest ratio of inflated to compressed size of an entry, checked from `ratioFloorBytes` inflated bytes on. */
    ratio: 200,
    ratioFloorBytes: MiB,
  },
  uploads: { perDeveloper: 20, windowMs: 10 * 60_000 },
  tokens: {
    name: 80,
    /** Valid tokens of a user or of a publisher. */
    live: 50,
    days: { default: 90, max: 365 },
  },
  trustedPublishing: {
    /** Workflows that may publish apps of a publisher, and tokens that one of them gets within the window. */
    max: 100,
    tokens: { limit: 30, windowMs: 15 * 60_000 },
    tokenMs: 15 * 60_000,
    /** Characters of an ID token, of a claim, and of a numeric id in one. */
    token: 16_384,
    text: 300,
    id: 20,
  },
  /** Resources on a page of SCIM; users whose access ends within an hour: so many, or this share of the active ones. */
  scim: { page: 200, deactivations: 10, share: 0.1 },
  /** Bytes of the attestation of a bundle: those of GitHub have 12,000. */
  attestation: { bytes: 64 * 1024 },
  /** Events at once; webhooks of a publisher; characters of an address; deliveries that a list shows, and how long they are kept. */
  events: { page: 500, webhooks: 20, url: 500, deliveries: 100, keptMs: 30 * 24 * 3_600_000 },
  device: {
    client: 80,
    intervalSeconds: 5,
    expirySeconds: 10 * 60,
    /** Pending device sign-ins in the whole store; with more, the oldest ends. */
    pending: 100_000,
    /** As many wrong codes within the window lock the page of that user for the length of the window. */
    wrongCodes: { max: 5, windowMs: 15 * 60_000 },
  },
  manifest: {
    id: 64,
    idSegments: 2,
    name: 40,
    publisher: 40,
    description: 400,
    permission: 200,
    categories: 3,
    jsonDepth: 64,
  },
  remote: { domains: 20 },
  network: { domains: 50 },
  requires: { entries: 10, reason: 200 },
  account: { label: 40, clientId: 200 },
  tool: { id: 48, name: 60, description: 1024, remoteName: 128 },
  /** What is kept of a server's list of tools: tools, characters of all of them, of a schema and of a description, levels; and bytes of a body with them. */
  served: { body: MiB, tools: 200, bytes: MiB / 2, schema: 64 * 1024, description: 4_096, depth: 40 },
  file: { minBytes: 1, maxBytes: 20 * MiB, defaultBytes: 20 * MiB },
  confirm: { title: 120 },
  panel: { id: 40, title: 40 },
  branding: {
    iconBytes: MiB,
    markBytes: MiB,
    screenshotBytes: 3 * MiB,
    screenshots: 8,
    /** Icon side in pixels: less than `iconMinSide` is an error, less than `iconSide` a warning. */
    iconMinSide: 256,
    iconSide: 512,
  },
  media: {
    quality: { min: 1, max: 100 },
    targetKb: { min: 10, max: 50_000 },
    offset: { min: 0, max: 16_384 },
    dimension: { min: 1, max: 16_384 },
    timeSeconds: { min: 0, max: 600 },
  },
  catalog: {
    tagline: 100,
    defaultPage: 100,
    maxPage: 100,
    cacheSeconds: 30,
    maxCounted: 10_000,
    featured: 12,
    /** The featured apps that the front page shows. */
    featuredShown: 5,
  },
  files: { cacheSeconds: 24 * 60 * 60 },
  moderation: {
    /** How long a decision can be appealed, and messages of each side in an appeal. */
    appealMs: 90 * 24 * 60 * 60_000,
    appealMessages: 20,
    defaultPage: 100,
    maxPage: 100,
    /** How long a lock lasts unless the moderator renews it. */
    lockMs: 15 * 60_000,
    /** Earlier decisions that a review shows. */
    decisions: 20,
    reasonId: 40,
    reasonTitle: 80,
    /** Messages of each side about one version. */
    messages: 100,
  },
  /** Lists of apps and versions for the members of a publisher. */
  ownApps: { defaultPage: 50, maxPage: 100 },
  relay: {
    /** Characters of a state. */
    state: { min: 22, max: 256 },
    /** Longest code, and longest of the other parameters of a callback, which are cut. */
    code: 4_096,
    text: 1_024,
    lifetimeMs: 5 * 60_000,
    /** How long a sign-in may take, so how long the store knows where its client polls from. */
    signInMs: 10 * 60_000,
    /** Digits that a client shows and the user types, and wrong ones after which the code is deleted. */
    digits: 3,
    tries: 3,
  },
  people: {
    name: 80,
    email: 254,
    password: { min: 12, max: 200, distinct: 5 },
    passkeys: 20,
    passkeyLabel: 60,
    /** Password attempts for one email address and from one network. */
    tries: { limit: 10, windowMs: 15 * 60_000 },
    /** How long a proof of identity is accepted for acts that need one. */
    proofMs: 10 * 60_000,
    /** How long a new owner cannot take a publisher from older ones. */
    newOwnerMs: 14 * 24 * 3_600_000,
    /** How long a user who gets a role has it without a passkey, in a store whose roles need one. */
    passkeyGraceMs: 14 * 24 * 3_600_000,
    defaultPage: 100,
    maxPage: 100,
  },
  ratings: {
    stars: 5,
    title: 80,
    body: 4_000,
    /** Longest reply of a publisher, and longest note of a flag. */
    reply: 2_000,
    flagNote: 500,
    defaultPage: 20,
    maxPage: 100,
    cacheSeconds: 30,
  },
  installs: {
    /** Length of an install id. */
    id: { min: 16, max: 128 },
    /** Days of a chart: the default and the maximum. */
    days: { default: 30, max: 366 },
  },
  note: 2_000,
} as const;
