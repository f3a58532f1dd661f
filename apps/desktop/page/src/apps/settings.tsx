import { visible } from '@svc/text';
import { Check, ErrorMessage, Field, Loaded, Select } from '@svc/ui';
import type { FormEvent } from 'react';
import type { AppView } from '../../../src/wire/views.ts';
import { useDesktopMutation, useDesktopQuery } from '../wire/use-desktop.ts';
import { currentValue, type Setting, type SettingValue, settingsOf } from './setting-values.ts';

const CHOICES_WORDS = {
  media: 'Show pictures, sounds and other files that it returns',
  questions: 'Let its server ask you questions during a call',
  sampling: 'Let its server use your model. You see each request and each answer',
  roots: 'Tell its server the folder of the project',
};

function SettingField({ setting, value }: { setting: Setting; value: SettingValue }) {
  const { id, label, type, options = [] } = setting;
  if (type === 'boolean') {
    return <Check label={visible(label)} name={id} defaultChecked={value === true} />;
  }
  if (type === 'select') {
    return (
      <Select
        label={visible(label)}
        of={[['', '(not set)'], ...options.map((option) => [option, visible(option)] as const)]}
        name={id}
        defaultValue={String(value)}
      />
    );
  }
  return (
    <Field
      label={visible(label)}
      name={id}
      defaultValue={String(value)}
      {...(type === 'number' ? { type: 'number', step: 'any' } : { type: 'text' })}
    />
  );
}

const CHOICES = Object.keys(CHOICES_WORDS) as (keyof typeof CHOICES_WORDS)[];

/** What the user lets a connector do. Each change is saved at once. */
function ConnectorSettings({ appId }: { appId: string }) {
  const choices = useDesktopQuery('connectors.choices', { appId });
  const choose = useDesktopMutation('connectors.choose');
  return (
    <Loaded query={choices}>
      {(chosen) => (
        <div className="fields">
          {CHOICES.map((name) => (
            <Check
              key={name}
              label={CHOICES_WORDS[name]}
              defaultChecked={chosen[name]}
              choose={(isOn) => choose.mutate({ appId, choices: { [name]: isOn } })}
            />
          ))}
          <span role="status" className="good">
            {choose.isSuccess ? 'Saved.' : ''}
          </span>
          <ErrorMessage error={choose.error} />
        </div>
      )}
    </Loaded>
  );
}

export function AppSettings({ app }: { app: AppView }) {
  return app.source.kind === 'connector' ? (
    <ConnectorSettings appId={app.appId} />
  ) : (
    <DeclaredSettings app={app} />
  );
}

function DeclaredSettings({ app: { appId, manifest } }: { app: AppView }) {
  const settings = manifest.contributes.settings ?? [];
  const saved = useDesktopQuery('apps.settings', { appId });
  const save = useDesktopMutation('apps.saveSettings');
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    save.mutate({ appId, values: settingsOf(settings, new FormData(event.currentTarget)) });
  };
  if (settings.length === 0) return <p>This app has no settings.</p>;
  return (
    <Loaded query={saved}>
      {({ values }) => (
        <form className="fields" onSubmit={submit} onChange={() => save.reset()}>
          {settings.map((setting) => (
            <SettingField key={setting.id} setting={setting} value={currentValue(setting, values)} />
          ))}
          <div className="buttons">
            <button type="submit" className="main" disabled={save.isPending}>
              Save
            </button>
            <span role="status" className="good">
              {save.isSuccess ? 'Saved.' : ''}
            </span>
          </div>
          <ErrorMessage error={save.error} />
        </form>
      )}
    </Loaded>
  );
}
