import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { generateSigningKeyPem, readPublicKey, readSigningKey } from '@svc/signing';
import { certificateFor } from '@svc/testkit/certificate';
import { describe, expect, it } from 'vitest';
import { machineFile } from '../../src/network/env-proxy.ts';
import {
  givenAuthorities,
  givenNetworks,
  managedOptions,
  readMachineSettings,
} from '../../src/network/machine-settings.ts';
import { tempFolder } from '../support/temp-folder.ts';

const NONE = {
  ...{ privateNetworks: null, caFile: null, store: null, storeKey: null },
  ...{ settingsFromStore: false, managed: {} },
};

async function fileWith(content: unknown, mode = 0o644): Promise<string> {
  const file = join(await tempFolder(), 'managed.json');
  await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content));
  await chmod(file, mode);
  return file;
}

/** Reads a file as on Windows, where its owner is not checked, so that the test needs no administrator. */
const read = (file: string) => readMachineSettings('win32', file);

describe('the settings of the machine', () => {
  it('are in a folder of the administrator of each platform', () => {
    expect(machineFile('linux', {})).toBe('/etc/svc/managed.json');
    expect(machineFile('darwin', {})).toBe('/Library/Application Support/svc/managed.json');
    expect(machineFile('win32', { ProgramData: 'D:\\Data' })).toBe('D:\\Data\\svc\\managed.json');
  });

  it('are read, and are none without a file', async () => {
    const file = await fileWith({ privateNetworks: ['10.20.0.0/16'], caFile: '/etc/ssl/corp.pem' });
    expect(read(file)).toEqual({
      ...NONE,
      ...{ privateNetworks: ['10.20.0.0/16'], caFile: '/etc/ssl/corp.pem' },
    });
    expect(read(`${file}.none`)).toEqual(NONE);
  });

  it.each([
    ['{', /not JSON/],
    [{ networks: [] }, /networks is not a setting/],
    [{ privateNetworks: '10.0.0.0/8' }, /must be a list/],
    [
      { privateNetworks: ['0.0.0.0/0'] },
      /managed\.json cannot be used: "privateNetworks" is not valid: .*covers every network/,
    ],
    [{ caFile: 'corp.pem' }, /full path/],
  ])('are refused as %j', async (content, message) => {
    const file = await fileWith(content);
    expect(() => read(file)).toThrow(message);
  });

  it('give way to no variable, which is named where it is not valid', async () => {
    const file = await fileWith({});
    expect(givenNetworks({ SVC_PRIVATE_NETWORKS: '10.20.0.0/16' }, file, 'win32')).toEqual(['10.20.0.0/16']);
    expect(() => givenNetworks({ SVC_PRIVATE_NETWORKS: '*' }, file, 'win32')).toThrow(
      /^SVC_PRIVATE_NETWORKS is not valid: \* covers every network/,
    );
    const managed = await fileWith({ privateNetworks: [] });
    expect(givenNetworks({ SVC_PRIVATE_NETWORKS: '10.20.0.0/16' }, managed, 'win32')).toEqual([]);
  });

  it('add the authorities of their file to those of the variable, and name the one that cannot be used', async () => {
    const { cert, key } = certificateFor('localhost');
    const [pem, damaged] = [await fileWith(cert), await fileWith(cert.replace(/\n\S+/, '\nAAAA') + cert)];
    const file = await fileWith({ caFile: pem });
    expect(givenAuthorities({ SVC_CA_FILE: pem }, file, 'win32')).toHaveLength(2);
    expect(givenAuthorities({}, await fileWith({}), 'win32')).toEqual([]);
    for (const [authorities, what] of [
      [damaged, 'has a certificate that is damaged'],
      [await fileWith(key), 'has no certificate as PEM'],
      [`${pem}.none`, 'cannot be read: ENOENT'],
    ] as const) {
      const message = new RegExp(`${authorities}, which ${what}`);
      expect(() => givenAuthorities({ SVC_CA_FILE: authorities }, file, 'win32')).toThrow(message);
      const other = await fileWith({ caFile: authorities });
      expect(() => givenAuthorities({}, other, 'win32')).toThrow(message);
    }
  });

  it('are refused where another user than root could have written them', async () => {
    const file = await fileWith({}, 0o666);
    expect(() => readMachineSettings('linux', file)).toThrow(/must belong to root/);
  });
});

describe('the settings of a company in the file of the machine', () => {
  const key = readSigningKey(generateSigningKeyPem()).publicKeyPem;
  const line = key.replaceAll(/-----[^-]+-----|\s/g, '');

  it.each([key, line])('become options of the runtime', async (storeKey) => {
    const store = 'https://apps.corp.example';
    const file = await fileWith({ store, storeKey, settingsFromStore: true, exportChats: false });
    const { pin = '', ...options } = managedOptions(file, 'win32');
    expect(options).toEqual({ store, managed: { settings: { exportChats: false }, fromStore: true } });
    expect(readPublicKey(pin).keyId).toBe(readPublicKey(key).keyId);
    expect(managedOptions(`${file}.none`, 'win32')).toEqual({ store: null });
    expect(managedOptions(await fileWith({ caFile: '/a.pem' }), 'win32')).toEqual({ store: null });
  });

  it.each([
    [{ settingsFromStore: true, store: 'https://a.example' }, /needs "store" and "storeKey"/],
    [{ storeKey: line }, /"storeKey" needs "store"/],
    [{ store: 'http://apps.corp.example' }, /"store" is not valid: .*https/],
    [{ store: 'https://a.example', storeKey: 'AAAA' }, /must be the public key/],
    [{ requiredApps: 'com.example.notes' }, /"requiredApps" .*array/],
    [{ requiredApps: ['Notes'] }, /"requiredApps\.0" must be the id of an app/],
    [{ exportChat: false }, /exportChat is not a setting/],
  ])('are refused as %j', async (content, message) => {
    const file = await fileWith(content);
    expect(() => read(file)).toThrow(message);
  });
});
