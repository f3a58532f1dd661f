import type { ClientCapabilities, ElicitRequestFormParams } from '@modelcontextprotocol/server';
import { guarded } from '@svc/contracts/guarded';
import type {
  Answer,
  ApprovalCard,
  Card,
  ConnectCard,
  ModelRequest,
  QuestionCard,
  QuestionField,
  System,
} from '@svc/runtime';
import type { Asker } from '../cards/prompt-queue.ts';
import type { Desktop } from '../desktop.ts';
import type { AgentChoices } from '../wire/views.ts';
import { type AgentCall, ANSWER_MS } from './agent-call.ts';
import { approvalText, connectText, questionText } from './card-text.ts';
import type { ConnectLinks } from './connect-links.ts';

type Schema = ElicitRequestFormParams['requestedSchema'];

const bounds = (names: readonly [string, string], { min, max }: QuestionField) => ({
  ...(min !== null && { [names[0]]: min }),
  ...(max !== null && { [names[1]]: max }),
});

const optionsOf = ({ options }: QuestionField) =>
  options.map(({ value, title }) => ({ const: value, title }));

function typeOf(field: QuestionField): object {
  switch (field.type) {
    case 'choice':
      return { type: 'string', oneOf: optionsOf(field) };
    case 'choices':
      return {
        type: 'array',
        items: { anyOf: optionsOf(field) },
        ...bounds(['minItems', 'maxItems'], field),
      };
    case 'string':
      return {
        ...{ type: 'string', ...bounds(['minLength', 'maxLength'], field) },
        ...(field.format !== null && { format: field.format }),
      };
    case 'boolean':
      return { type: 'boolean' };
    default:
      return { type: field.type, ...bounds(['minimum', 'maximum'], field) };
  }
}

/** The fields of a question as the schema of a form (MCP, "Elicitation"): rebuilt from what the card says, not as the server sent it. */
export const questionSchema = (fields: readonly QuestionField[]): Schema => ({
  type: 'object',
  properties: Object.fromEntries(
    fields.map((field) => {
      const { name, title, description, initial } = field;
      const texts = { title, ...(description !== '' && { description }) };
      return [name, { ...typeOf(field), ...texts, ...(initial !== null && { default: initial }) }];
    }),
  ) as Schema['properties'],
  required: fields.filter(({ required }) => required).map(({ name }) => name),
});

/** Timeout of a question for agents without progress notifications, before their client times out, in milliseconds. */
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
export type AskingCall = AgentCall & {
  agent: string;
  /** Where to ask for approvals now: in the agent's dialog if it has one, or always on the page. */
  approvals(): AgentChoices['approvals'];
  /** The dialog of the agent's client declined a card, with the user or without asking. */
  declined(): void;
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
async function elicit(call: AgentCall, request: Parameters<AgentCall['elicit']>[0], signal: AbortSignal) {
  const answer = await call.elicit(request, signal);
  return answer?.action === 'cancel' ? null : answer;
}

/** Shows a card in the agent's client (elicitation). The answer is bound to that card. */
async function askInDialog(
  card: ApprovalCard,
  message: string,
  call: AskingCall,
  signal: AbortSignal,
): Promise<Answer | null> {
  const answer = await elicit(call, { mode: 'form', message, requestedSchema: YES_OR_NO }, signal);
  if (answer?.action === 'decline') {
    call.declined();
    return NO;
  }
  // Requires both the button and the field: a client that answers automatically sends the default, which is no decision. The page asks.
  const approved = answer?.action === 'accept' && answer.content?.approve === true;
  return approved ? { accepted: true, binding: card.binding } : null;
}

/** Opens a page of the desktop through the agent's client (URL elicitation). Only the user's answer on the page counts. */
async function askByLink(
  card: ConnectCard,
  links: ConnectLinks,
  call: AgentCall,
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
    const answer = await elicit(call, request, signal);
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
  call: AgentCall,
  signal: AbortSignal,
): Promise<Answer | null> {
  const request =
    card.url === null
      ? { mode: 'form' as const, message, requestedSchema: questionSchema(card.fields) }
      : { mode: 'url' as const, message, url: card.url, elicitationId: card.binding };
  const answer = await elicit(call, request, signal);
  if (answer === null) return null;
  if (answer.action === 'decline') return NO;
  // The runtime checks the values against the fields of the card.
  const content = answer.content as NonNullable<Extract<Answer, { accepted: true }>['content']> | undefined;
  return { accepted: true, binding: card.binding, ...(content && { content }) };
}

/** Asks the question of a server in the agent's client, if that can show it. */
async function askQuestion(card: QuestionCard, call: AgentCall, signal: AbortSignal): Promise<Answer | null> {
  const { capabilities } = call;
  const canShow = card.url === null ? showsForms(capabilities) : capabilities.elicitation?.url !== undefined;
  const text = canShow ? questionText(card) : null;
  return text === null ? null : passOn(card, text, call, signal);
}

/** Keeps a call alive while its card is on the page, and ends it before the agent's client would time out. */
function waitOnPage(
  { system, desktop: { prompts, origin } }: AskerDeps,
  card: Card,
  calling: AskingCall,
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
    const maxMs = progress.wanted() ? ANSWER_MS : SILENT_TIMEOUT_MS;
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

/** Has the agent's model answer a server. Its client shows the user what it likes to show. */
async function sampleWith(call: AgentCall, request: ModelRequest, signal: AbortSignal) {
  const { model, content } = await call.sample(
    {
      messages: request.messages.map(({ role, text }) => ({ role, content: { type: 'text', text } })),
      maxTokens: request.maxTokens,
      ...(request.system !== null && { systemPrompt: request.system }),
    },
    signal,
  );
  const texts = [content].flat().map((block) => (block.type === 'text' ? block.text : ''));
  return { model, text: texts.join('\n') };
}

/**
 * Creates the asker of an agent. Approvals are shown in its client's dialog if the card fits there; Connect cards on a page of the
 * desktop that the client opens; questions of servers where its client shows forms or opens pages; requests for a model where its client
 * has one, which asks the user itself; all others only on the desktop page.
 */
export function agentAsker(deps: AskerDeps, calling: AskingCall): Asker {
  const { capabilities } = calling;
  async function askElsewhere(card: Card, signal: AbortSignal): Promise<Answer | null> {
    if (card.kind === 'connect' && capabilities.elicitation?.url)
      return askByLink(card, deps.links, calling, signal);
    if (card.kind === 'question') return askQuestion(card, calling, signal);
    if (card.kind === 'sampling' && capabilities.sampling && calling.approvals() === 'agent')
      return { accepted: true, binding: card.binding };
    if (card.kind !== 'approval' || calling.approvals() !== 'agent' || !showsForms(capabilities)) return null;
    const text = approvalText(card);
    return text === null ? null : askInDialog(card, text, calling, signal);
  }
  return {
    name: calling.agent,
    ...(capabilities.sampling && { sample: (request, signal) => sampleWith(calling, request, signal) }),
    async ask(card, signal) {
      const answer = await askElsewhere(card, signal);
      if (answer === null) waitOnPage(deps, card, calling, signal);
      return answer;
    },
  };
}
