import { Form, LoadError, TextArea } from '@svc/ui';
import { useProject } from '../shell/use-project.ts';
import { useDesktopMutation, useDesktopQuery } from '../wire/use-desktop.ts';

/** The instructions that the model receives in all conversations of the project. */
export function Instructions() {
  const project = useProject();
  const saved = useDesktopQuery('chats.prompt', { project: project.id });
  const save = useDesktopMutation('chats.savePrompt');
  if (!saved.data) return <LoadError query={saved} />;
  return (
    <Form
      className="fields"
      action="Save"
      tone="plain"
      submit={(data) => save.mutate({ project: project.id, text: String(data.get('text')) })}
      status={save.isSuccess ? 'Done.' : ''}
      error={save.error}
    >
      <TextArea
        label="Instructions for all conversations in this project"
        name="text"
        rows={4}
        defaultValue={saved.data.text}
      />
    </Form>
  );
}
