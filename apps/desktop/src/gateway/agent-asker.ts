import type { ClientCapabilities, ServerContext } from '@modelcontextprotocol/server';
import type { Answer, ApprovalCard, Card, ConnectCard, System } from '@svc/runtime';
import type { Asker } from '../cards/prompt-queue.ts';
import type { Desktop } from '../desktop.ts';
import type { AgentChoices } from '../wire/views.ts';
import { approvalText, connectText } from './card-text.ts';
import type { ConnectLinks } from './connect-links.ts';
import type { Progress } from './progress.ts';

/** How long a person may take, in milliseconds; and an agent that hears no progress, before it would give up by itself. */
const TIMEOUT_MS = 10 * 60_000;
const UNHEARD_MS = 45_000;
const HEARTBEAT_MS = 10_000;

/** The person has not answered on the page in the time that the agent waits. */
export class WaitsForUserError extends Error {}

export type AskerDeps = {
  system: Pick<System, 'sleep'>;
  desktop: Pick<Desktop, 'desk' | 'origin'>;
  links: ConnectLinks;
};

/** One call, for which questions may come up. */
export type Calling = {
  agent: string;
  /** Where approvals are asked for now: in the agent's own dialog where it has one, or always on the page. */
  approvals(): AgentChoices['approvals'];
  capabilities: ClientCapabilities | undefined;
  context: ServerContext;
  progress: Progress;
  /** Ends the call. */
  giveUp(reason: WaitsForUserError): void;
};

/** A client that names no mode has forms: that is all there was at first. */
const showsForms = ({ elicitation }: ClientCapabilities = {}): boolean =>
  elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);

const YES_OR_NO = {
  type: 'object' as const,
  properties: {
    approve: {
      type: 'boolean' as const,
      title: 'Approve',
      description: 'Yes lets exactly this run, once.',
      default: false,
    },
  },
  required: ['approve'],
};

const NO: Answer = { accepted: false };

/** Has the agent's client show a card. The answer counts for that card alone, as it is bound to it here. */
async function askInDialog(
  card: ApprovalCard,
  message: string,
  { mcpReq }: ServerContext,
  signal: AbortSignal,
): Promise<Answer | null> {
  const options = { signal, timeout: TIMEOUT_MS };
  const form = { mode: 'form' as const, message, requestedSchema: YES_OR_NO };
  // A client that promised dialogs and fails at one asks nothing: the page shall.
  const answer = await mcpReq.elicitInput(form, options).catch(() => null);
  signal.throwIfAborted();
  if (answer === null) return null;
  // Both the button and the field: a client that answers by itself fills in what is preset, and that is no.
  const approved = answer.action === 'accept' && answer.content?.approve === true;
  return approved ? { accepted: true, binding: card.binding } : NO;
}

/** Has the agent's client open a page of ours on which the person says yes. The agent's word that it opened is no answer. */
async function askByLink(
  card: ConnectCard,
  links: ConnectLinks,
  { mcpReq }: ServerContext,
  signal: AbortSignal,
): Promise<Answer | null> {
  const link = links.open(card);
  try {
    const request = {
      mode: 'url' as const,
      message: connectText(card),
      url: link.url,
      elicitationId: link.id,
    };
    const answer = await mcpReq.elicitInput(request, { signal, timeout: TIMEOUT_MS }).catch(() => null);
    signal.throwIfAborted();
    if (answer === null) return null;
    return answer.action === 'accept' ? await link.answer(signal) : NO;
  } finally {
    link.close();
  }
}

/** Keeps a call alive while its card is on the page, and ends it where the agent would not know why it waits. */
function waitOnPage(
  { system, desktop: { desk, origin } }: AskerDeps,
  card: Card,
  calling: Calling,
  signal: AbortSignal,
) {
  const answered = new AbortController();
  const over = AbortSignal.any([answered.signal, signal]);
  let cardId: string | null = null;
  const stopListening = desk.listen({
    shown(waiting) {
      if (waiting.card === card) cardId = waiting.id;
    },
    gone(id) {
      if (id === cardId) answered.abort();
    },
  });
  over.addEventListener('abort', stopListening, { once: true });
  const text = `The person is asked in the desktop page (${origin}); they open it with "svc desktop".`;
  const { progress, giveUp } = calling;
  async function keepAlive(): Promise<void> {
    const most = progress.wanted ? TIMEOUT_MS : UNHEARD_MS;
    for (let waited = 0; waited < most; waited += HEARTBEAT_MS) {
      progress.waiting(text);
      await system.sleep(Math.min(HEARTBEAT_MS, most - waited), over);
    }
    giveUp(new WaitsForUserError(`${text} Nothing was done yet: call again when they are ready to answer.`));
  }
  // It ends by the signal, which is no fault.
  keepAlive().catch(() => undefined);
}

/**
 * Asks in the name of an agent. Approvals go to its client's dialog when it has one and the card can be read there whole;
 * connecting goes through a page of ours; consent and saving are asked on the desktop page alone.
 */
export function agentAsker(deps: AskerDeps, calling: Calling): Asker {
  const { context, capabilities } = calling;
  async function askElsewhere(card: Card, signal: AbortSignal): Promise<Answer | null> {
    if (card.kind === 'connect' && capabilities?.elicitation?.url)
      return askByLink(card, deps.links, context, signal);
    if (card.kind !== 'approval' || calling.approvals() !== 'agent' || !showsForms(capabilities)) return null;
    const text = approvalText(card);
    return text === null ? null : askInDialog(card, text, context, signal);
  }
  return {
    name: calling.agent,
    async ask(card, signal) {
      const answer = await askElsewhere(card, signal);
      if (answer === null) waitOnPage(deps, card, calling, signal);
      return answer;
    },
  };
}
