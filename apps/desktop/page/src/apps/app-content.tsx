import type { AppPrompt, AppResource, AppResourceTemplate } from '@svc/runtime';
import { visible } from '@svc/text';
import { Button, ErrorMessage, Loaded, Rows } from '@svc/ui';
import type { AppView, ContentPartView } from '../../../src/wire/views.ts';
import { CompletionForm } from '../chat/completion-form.tsx';
import { variablesOf } from '../chat/variables-of.ts';
import { bytesOf, download } from '../parts/download.ts';
import { LongText } from '../parts/long-text.tsx';
import { useProject } from '../shell/use-project.ts';
import { useDesktopQuery, useFetch } from '../wire/use-desktop.ts';

const ROLE = { user: 'You', assistant: 'Assistant' };

/** One part, as text. No markup or image of a connector is rendered. */
function Part({ part }: { part: ContentPartView }) {
  if (part.type === 'text') return <LongText text={part.text} />;
  if (part.type === 'link') {
    return (
      <p>
        {visible(part.name)} <code>{visible(part.uri)}</code>
      </p>
    );
  }
  return (
    <p>
      <Button
        label={`Download ${visible(part.name)}`}
        onClick={() => download(part.name, new Blob([bytesOf(part.data)]))}
      />{' '}
      <span className="soft">{visible(part.mediaType)}</span>
    </p>
  );
}

const Parts = ({ parts }: { parts: readonly ContentPartView[] }) =>
  parts.map((part, i) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: parts of an answer have an order, and nothing else
    <Part key={i} part={part} />
  ));

type Scope = { appId: string; project: string };

function ResourceRow({ resource: { uri, name, description }, ...scope }: Scope & { resource: AppResource }) {
  const read = useFetch('resources.read');
  return (
    <li>
      <div>
        {visible(name)} <code>{visible(uri)}</code>
        <p className="soft">{visible(description)}</p>
        {read.data ? <Parts parts={read.data.parts} /> : null}
        <ErrorMessage error={read.error} />
      </div>
      <Button
        label="Read"
        aria-label={`Read ${visible(name)}`}
        runs={read}
        onClick={() => read.mutate({ ...scope, uri })}
      />
    </li>
  );
}

/** A resource template: its variables are filled in, with what its server suggests, and the resource is read. */
function TemplateRow({
  template: { uriTemplate, name, description },
  ...scope
}: Scope & { template: AppResourceTemplate }) {
  const read = useFetch('resources.read');
  const filled = { appId: scope.appId, of: { uriTemplate }, name, arguments: variablesOf(uriTemplate) };
  return (
    <li>
      <div>
        {visible(name)} <code>{visible(uriTemplate)}</code>
        <p className="soft">{visible(description)}</p>
        <CompletionForm
          filled={filled}
          label="Read"
          use={(args) => read.mutate({ ...scope, uriTemplate, arguments: args })}
        />
        {read.data ? <Parts parts={read.data.parts} /> : null}
        <ErrorMessage error={read.error} />
      </div>
    </li>
  );
}

function Resources(scope: Scope) {
  const lists = useDesktopQuery('resources.list', scope);
  return (
    <Loaded query={lists}>
      {({ resources, templates }) => (
        <>
          <Rows of={resources.entries} none="No resources.">
            {(resource) => <ResourceRow key={resource.uri} {...scope} resource={resource} />}
          </Rows>
          {resources.isComplete && templates.isComplete ? null : (
            <p className="mild">Not all entries are shown.</p>
          )}
          {templates.entries.length === 0 ? null : (
            <>
              <h3>Resource templates</h3>
              <Rows of={templates.entries}>
                {(template) => <TemplateRow key={template.uriTemplate} {...scope} template={template} />}
              </Rows>
            </>
          )}
        </>
      )}
    </Loaded>
  );
}

function PromptRow({
  prompt: { id, name, description, arguments: args },
  ...scope
}: Scope & { prompt: AppPrompt }) {
  const fill = useFetch('prompts.get');
  return (
    <li>
      <div>
        <p className="soft">{visible(description)}</p>
        <CompletionForm
          filled={{ appId: scope.appId, of: { prompt: id }, name, arguments: args }}
          label="Get prompt"
          use={(values) => fill.mutate({ ...scope, id, arguments: values })}
        />
        {fill.data?.messages.map(({ role, part }, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: messages have an order, and nothing else
          <div key={i}>
            <strong>{ROLE[role]}</strong>
            <Part part={part} />
          </div>
        ))}
        <ErrorMessage error={fill.error} />
      </div>
    </li>
  );
}

function Prompts(scope: Scope) {
  const lists = useDesktopQuery('prompts.list', scope);
  return (
    <Loaded query={lists}>
      {({ prompts }) => (
        <>
          <Rows of={prompts.entries} none="No prompts.">
            {(prompt) => <PromptRow key={prompt.id} {...scope} prompt={prompt} />}
          </Rows>
          {prompts.isComplete ? null : <p className="mild">Not all entries are shown.</p>}
        </>
      )}
    </Loaded>
  );
}

/** Resources and prompts of a connector. */
export function AppContent({ app: { appId, source } }: { app: AppView }) {
  const project = useProject();
  if (source.kind !== 'connector') return <p>Only connectors have resources and prompts.</p>;
  const scope = { appId, project: project.id };
  return (
    <>
      <h2>Prompts</h2>
      <Prompts {...scope} />
      <h2>Resources</h2>
      <Resources {...scope} />
    </>
  );
}
