import { openVault, type VaultDeps } from './vault.ts';

/** Secrets of the client itself, such as keys of model providers. They are kept in the vault, apart from those of accounts. */
export type ClientSecrets = {
  /** What is kept under a name; null when nothing is. @throws RuntimeError `vault-locked`, `vault-damaged` */
  read(name: string): Promise<string | null>;
  /** Replaces what is kept under a name; null removes it. Durable when it resolves. @throws as `read` */
  write(name: string, text: string | null): Promise<void>;
};

/** Opens the secrets of the client in the vault of a folder. It can read nothing that belongs to an account. */
export function openClientSecrets(deps: VaultDeps): ClientSecrets {
  const vault = openVault(deps);
  return {
    read: (name) => vault.read(['secret', 'client', name]),
    async write(name, text) {
      await vault.change(['secret', 'client', name], () => text);
    },
  };
}
