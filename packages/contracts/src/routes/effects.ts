/** What a change of a signed-in user can do. `proof`: it needs a proof of identity that is at most ten minutes old. */
export const EFFECTS = {
  'publishes-again': {
    proof: true,
    doc: 'publishes what was stopped, or waits for a decision that only a person makes',
  },
  verifies: { proof: true, doc: 'says that a publisher is who it says' },
  'opens-access': { proof: true, doc: 'opens the store, its sign-up or a role to others' },
  'gives-power': { proof: true, doc: 'gives a role, a membership or the right to publish' },
  'moves-ownership': { proof: true, doc: 'changes who owns a publisher or an app' },
  'makes-credential': { proof: true, doc: 'makes, changes or hands out what proves or grants access' },
  'takes-access': { proof: true, doc: 'takes a way to sign in, a membership or an account away' },
  'ends-for-many': { proof: true, doc: 'ends something for all users, apps or members' },
  'changes-store': { proof: true, doc: 'changes the rules or the look of the whole store' },
  submits: { proof: false, doc: 'hands something to the checks and rules of publishing' },
  decides: { proof: false, doc: 'decides one case, for the first time' },
  writes: { proof: false, doc: 'writes texts, choices and marks of its caller' },
  revokes: { proof: false, doc: 'takes back what its caller, or the publisher of its caller, gave' },
  accepts: { proof: false, doc: 'takes what another user gave with a proof' },
  proves: { proof: false, doc: 'proves something about its caller, or looks something up' },
} as const satisfies Record<string, { proof: boolean; doc: string }>;

/** What a route can do; of several, each counts. */
export type Effect = keyof typeof EFFECTS;

/** Whether a route needs a fresh proof of identity: the effects that it can have decide. */
export const needsProof = ({ effects = [] }: { effects?: readonly Effect[] }): boolean =>
  effects.some((effect) => EFFECTS[effect].proof);
