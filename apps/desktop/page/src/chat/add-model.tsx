import { Button, ErrorMessage, Icon } from '@svc/ui';
import { useState } from 'react';
import { useDesktopQuery } from '../wire/use-desktop.ts';
import { PRESETS, type Preset, type Provided } from './presets.ts';
import { ProviderForm, useSave } from './provider-form.tsx';

type Found = { name: string; baseUrl: string };

/** A model server that answers on this computer: one press takes it. */
function FoundTile({ found }: { found: Found }) {
  const save = useSave(null);
  const [isSaving, setSaving] = useState(false);
  const [error, setError] = useState<Error | null>(null);
  const use = () => {
    setSaving(true);
    setError(null);
    save({ ...found, key: '', model: '' })
      .catch(setError)
      .finally(() => setSaving(false));
  };
  return (
    <li>
      <Button className="tile main" runs={{ isPending: isSaving }} onClick={use}>
        <Icon name="laptop" />
        <strong>{found.name}</strong>
        <small>{isSaving ? 'Asking for its models…' : 'On this computer'}</small>
      </Button>
      <ErrorMessage error={error} />
    </li>
  );
}

/** The ways to a model, as tiles: what was found on this computer, then providers with a key, then the others. */
function Tiles({ choose }: { choose(preset: Preset | ''): void }) {
  const found = useDesktopQuery('models.detect', {}).data?.found ?? [];
  const presets = Object.entries(PRESETS) as [Preset, Provided][];
  const others = presets.filter(([name]) => !found.some((one) => one.name === name));
  const tile = ([name, { keys }]: [Preset, Provided]) => (
    <li key={name}>
      <Button className="tile" onClick={() => choose(name)}>
        <Icon name={keys === undefined ? 'laptop' : 'key-round'} />
        <strong>{name}</strong>
        <small>{keys === undefined ? 'Not running' : 'With an API key'}</small>
      </Button>
    </li>
  );
  return (
    <ul className="tiles" aria-label="Providers of models">
      {found.map((one) => (
        <FoundTile key={one.baseUrl} found={one} />
      ))}
      {others.map(tile)}
      <li>
        <Button className="tile" onClick={() => choose('')}>
          <Icon name="plug" />
          <strong>Another</strong>
          <small>With its URL</small>
        </Button>
      </li>
    </ul>
  );
}

/** Adds a provider: its tile, then the fields that it needs. */
export function AddModel() {
  const [chosen, choose] = useState<Preset | '' | null>(null);
  if (chosen === null) return <Tiles choose={choose} />;
  return <ProviderForm key={chosen} edited={null} preset={chosen} done={() => choose(null)} />;
}
