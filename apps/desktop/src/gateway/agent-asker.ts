import type { ClientCapabilities, ServerContext } from '@modelcontextprotocol/server';
import { guarded } from '@svc/contracts/guarded';
import type { Answer, ApprovalCard, Card, ConnectCard, QuestionCard, System } from '@svc/runtime';
import type { Asker } from '../cards/prompt-queue.ts';
import type { Desktop } from '../desktop.ts';
import type { AgentChoices } from '../wire/views.ts';
import { approvalText, connectText, questionText } from './card-text.ts';
import type { ConnectLinks } from './connect-links.ts';
import type { Progress } from './progress.ts';
import { questionSchema } from './question-schema.ts';

/** Timeout of a question, in milliseconds; and the timeout for agents without progress notifications, before their client times out. */
const TIMEOUT_MS = 10 * 60_000;
const SILENT_TIMEOUT_MS = 45_000;
const HEARTBEAT_MS = 10_000;

/** The user has not answered on the page while the agent waits. */
export class WaitsForUserError extends Error {}

export type AskerDeps = {
  system: Pick<System, 'sleep'>;
  desktop: Pick<Desktop, 'prompts' | 'origin'>;
  links: ConnectLinks;
};

/** A call of an agent, during which cards may be shown. */
export type AgentCall = {
  agent: string;
  /** Where to ask for approvals now: in the agent's dialog if it has one, or always on the page. */
  approvals(): AgentChoices['approvals'];
  capabilities: ClientCapabilities | undefined;
  context: ServerContext;
  progress: Progress;
  /** Ends the call. */
  giveUp(reason: WaitsForUserError): void;
};

/** Whether a client supports form elicitation. A client that names no mode does: the first version had only forms. */
const showsForms = ({ elicitation }: ClientCapabilities = {}): boolean =>
  elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);

const YES_OR_NO = {
  type: 'object' as const,
  properties: {
    approve: {
      type: 'boolean' as const,
      title: 'Approve',
      description: 'Allows exactly this call, once.',
      default: false,
    },
  },
  required: ['approve'],
};

/** What a user can do so that agents that run unattended need not wait. */
const BEFOREHAND =
  ' To allow a tool without files for this agent beforehand, the user adds it on the desktop page, in Settings under Approvals.';

const NO: Answer = { accepted: false };

/** The answer of an agent's dialog; null without a decision: the dialog failed, or it was closed without an answer (`cancel`). */
type Decision = Awaited<ReturnType<ServerContext['mcpReq']['elicitInput']>> | null;

async function elicit(
  { mcpReq }: ServerContext,
  request: Parameters<ServerContext['mcpReq']['elicitInput']>[0],
  signal: AbortSignal,
): Promise<Decision> {
  const answer = await mcpReq.elicitInput(request, { signal, timeout: TIMEOUT_MS }).catch(() => null);
  signal.throwIfAborted();
  return answer?.action === 'cancel' ? null : answer;
}

/** Shows a card in the agent's client (elicitation). The answer is bound to that card. */
async function askInDialog(
  card: ApprovalCard,
  message: string,
  context: ServerContext,
  signal: AbortSignal,
): Promise<Answer | null> {
  const answer = await elicit(context, { mode: 'form', message, requestedSchema: YES_OR_NO }, signal);
  if (answer === null) return null;
  // Requires both the button and the field: a client that answers automatically sends the default, which is no.
  const approved = answer.action === 'accept' && answer.content?.approve === true;
  return approved ? { accepted: true, binding: card.binding } : NO;
}

/** Opens a page of the desktop through the agent's client (URL elicitation). Only the user's answer on the page counts. */
async function askByLink(
  card: ConnectCard,
  links: ConnectLinks,
  context: ServerContext,
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
    const answer = await elicit(context, request, signal);
    if (answer === null) return null;
    return answer.action === 'accept' ? await link.answer(signal) : NO;
  } finally {
    link.close();
  }
}

/** Passes a question of a server on to the agent's client. Without a decision there, the page asks. */
async function passOn(
  card: QuestionCard,
  message: string,
  { mcpReq }: ServerContext,
  signal: AbortSignal,
): Promise<Answer | null> {
  const request =
    card.url === null
      ? { mode: 'form' as const, message, requestedSchema: questionSchema(card.fields) }
      : { mode: 'url' as const, message, url: card.url, elicitationId: card.binding };
  const answer = await mcpReq.elicitInput(request, { signal, timeout: TIMEOUT_MS }).catch(() => null);
  signal.throwIfAborted();
  if (answer === null || answer.action === 'cancel') return null;
  if (answer.action === 'decline') return NO;
  return { accepted: true, binding: card.binding, ...(answer.content && { content: answer.content }) };
}

/** Asks the question of a server in the agent's client, if that can show it. */
async function askQuestion(
  card: QuestionCard,
  { capabilities, context }: AgentCall,
  signal: AbortSignal,
): Promise<Answer | null> {
  const canShow = card.url === null ? showsForms(capabilities) : capabilities?.elicitation?.url !== undefined;
  const text = canShow ? questionText(card) : null;
  return text === null ? null : passOn(card, text, context, signal);
}

/** Keeps a call alive while its card is on the page, and ends it before the agent's client would time out. */
function waitOnPage(
  { system, desktop: { prompts, origin } }: AskerDeps,
  card: Card,
  calling: AgentCall,
  signal: AbortSignal,
) {
  const answered = new AbortController();
  const ended = AbortSignal.any([answered.signal, signal]);
  let cardId: string | null = null;
  const stopListening = prompts.listen({
    shown(waiting) {
      if (waiting.card === card) cardId = waiting.id;
    },
    gone(id) {
      if (id === cardId) answered.abort();
    },
  });
  ended.addEventListener('abort', guarded(stopListening), { once: true });
  const text = `svc asks the user on the desktop page (${origin}), which they open with "svc desktop".`;
  const { progress, giveUp } = calling;
  async function keepAlive(): Promise<void> {
    const maxMs = progress.wanted ? TIMEOUT_MS : SILENT_TIMEOUT_MS;
    for (let waited = 0; waited < maxMs; waited += HEARTBEAT_MS) {
      progress.waiting(text);
      await system.sleep(Math.min(HEARTBEAT_MS, maxMs - waited), ended);
    }
    giveUp(
      new WaitsForUserError(
        `${text} The user has not answered. Nothing was done yet. Call again when the user is ready to answer.${card.kind === 'approval' ? BEFOREHAND : ''}`,
      ),
    );
  }
  // It rejects when the signal is aborted, which is no fault.
  keepAlive().catch(() => undefined);
}

/**
 * Creates the asker of an agent. Approvals are shown in its client's dialog if the card fits there; Connect cards on a page of the
 * desktop that the client opens; questions of servers where its client shows forms or opens pages; all others only on the desktop page.
 */
export function agentAsker(deps: AskerDeps, calling: AgentCall): Asker {
  const { context, capabilities } = calling;
  async function askElsewhere(card: Card, signal: AbortSignal): Promise<Answer | null> {
    if (card.kind === 'connect' && capabilities?.elicitation?.url)
      return askByLink(card, deps.links, context, signal);
    if (card.kind === 'question') return askQuestion(card, calling, signal);
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
