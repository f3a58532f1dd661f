import type { AgentChoices, AgentSettingsView, AgentView } from '../../../src/wire/views.ts';
import { ErrorMessage, Loaded, Section } from '../parts/parts.tsx';
import { visible } from '../parts/visible.ts';
import { useDesktopMutation, useDesktopQuery } from '../wire/use-desktop.ts';
import { WORDS } from '../words.ts';

const MESSAGES = WORDS.agentSettings;

type Tools = AgentChoices['tools'];

/** What an agent goes by where nothing is set for it. Of approvals only the stricter place can be set for one. */
const NOTHING_OWN = { approvals: null, tools: null } as const;

/** A choice of one of a few, by the words for each. An empty value stands for none of its own. */
function Choice<Value extends string>({
  label,
  value,
  words,
  busy,
  choose,
}: {
  label: string;
  value: Value | '';
  words: Readonly<Partial<Record<Value | '', string>>>;
  busy: boolean;
  choose(value: Value | ''): void;
}) {
  return (
    <label className="field">
      {label}
      <select
        value={value}
        disabled={busy}
        onChange={(event) => choose(event.currentTarget.value as Value | '')}
      >
        {Object.entries<string | undefined>(words).map(([name, said]) => (
          <option key={name} value={name}>
            {said}
          </option>
        ))}
      </select>
    </label>
  );
}

function ForAll({ settings: { all } }: { settings: AgentSettingsView }) {
  const save = useDesktopMutation('agents.saveForAll');
  return (
    <>
      <div className="choices">
        <Choice<AgentChoices['approvals']>
          label={MESSAGES.approvals}
          value={all.approvals}
          words={MESSAGES.approvalsIn}
          busy={save.isPending}
          choose={(approvals) => approvals && save.mutate({ ...all, approvals })}
        />
        <Choice<Tools>
          label={MESSAGES.tools}
          value={all.tools}
          words={MESSAGES.toolsAre}
          busy={save.isPending}
          choose={(tools) => tools && save.mutate({ ...all, tools })}
        />
      </div>
      <ErrorMessage error={save.error} />
    </>
  );
}

function ForOne({ agent, settings }: { agent: AgentView; settings: AgentSettingsView }) {
  const save = useDesktopMutation('agents.saveFor');
  const own = settings.agents[agent.id] ?? NOTHING_OWN;
  const change = (changes: Partial<typeof own>) => save.mutate({ agent: agent.id, ...own, ...changes });
  return (
    <fieldset className="choices">
      <legend>{visible(agent.name)}</legend>
      <Choice<'page'>
        label={MESSAGES.approvals}
        value={own.approvals ?? ''}
        words={{ '': MESSAGES.asAll, page: MESSAGES.approvalsIn.page }}
        busy={save.isPending}
        choose={(approvals) => change({ approvals: approvals || null })}
      />
      <Choice<Tools>
        label={MESSAGES.tools}
        value={own.tools ?? ''}
        words={{ '': MESSAGES.asAll, ...MESSAGES.toolsAre }}
        busy={save.isPending}
        choose={(tools) => change({ tools: tools || null })}
      />
      <ErrorMessage error={save.error} />
    </fieldset>
  );
}

/** Why nobody can tell what was set, and a way to go on with what holds meanwhile. */
function Unreadable({ fault, all }: { fault: string; all: AgentChoices }) {
  const save = useDesktopMutation('agents.saveForAll');
  return (
    <>
      <p role="alert" className="fault">
        {visible(fault)}
      </p>
      <button type="button" disabled={save.isPending} onClick={() => save.mutate(all)}>
        {MESSAGES.rewrite}
      </button>
      <ErrorMessage error={save.error} />
    </>
  );
}

/** What holds for agents: where they ask for approval, and how they are shown tools; for all, and for one. */
export function AgentSettings() {
  const settings = useDesktopQuery('agents.settings', {});
  const agents = useDesktopQuery('agents.list', {}).data?.agents ?? [];
  return (
    <Section title={MESSAGES.title}>
      <Loaded query={settings}>
        {(kept) => (
          <>
            {kept.fault === null ? null : <Unreadable fault={kept.fault} all={kept.all} />}
            {kept.started === null || kept.fault !== null ? null : (
              <p role="status" className="mild">
                {MESSAGES.started(kept.started)}
              </p>
            )}
            <ForAll settings={kept} />
            <p className="soft">{MESSAGES.hint}</p>
            {agents.length === 0 ? null : (
              <details>
                <summary>{MESSAGES.forOne}</summary>
                <p className="soft">{MESSAGES.forOneHint}</p>
                {agents.map((agent) => (
                  <ForOne key={agent.id} agent={agent} settings={kept} />
                ))}
              </details>
            )}
          </>
        )}
      </Loaded>
    </Section>
  );
}
