import { accountMethods } from './account-methods.ts';
import { type Method, method } from './bridge.ts';
import { fileMethods } from './file-methods.ts';
import { type InitializeResult, PROTOCOL_VERSION } from './messages.ts';
import { isGranted, type MethodDeps, NoParams } from './method-deps.ts';
import { createPromptLimiter } from './prompt-limiter.ts';
import { toolMethods } from './tool-methods.ts';

/** In MCP Apps the page may send its name here; it is not used, so it is not read. */
function initialize(deps: MethodDeps): InitializeResult {
  const { client } = deps;
  if (deps.tokensWithheld()) deps.withheld();
  const picks = client.pickFiles !== undefined && isGranted(deps, 'files:receive');
  const prepares = client.prepareMedia !== undefined && isGranted(deps, 'host:media');
  return {
    protocolVersion: PROTOCOL_VERSION,
    hostInfo: { name: client.name, version: client.version },
    hostCapabilities: {
      accounts: { tokens: !deps.tokensWithheld() },
      ...(deps.call && { serverTools: {} }),
      ...(picks && { files: {} }),
      ...(prepares && { media: {} }),
    },
    hostContext: deps.context(),
  };
}

/** All methods that a panel may call. */
export function panelMethods(deps: MethodDeps): ReadonlyMap<string, Method> {
  const inTurn = createPromptLimiter(deps.system);
  return new Map([
    ['ping', method(NoParams, () => ({}))],
    ['ui/initialize', method(NoParams, () => initialize(deps))],
    ...accountMethods(deps, inTurn),
    ...fileMethods(deps, inTurn),
    ...toolMethods(deps, inTurn),
  ]);
}
