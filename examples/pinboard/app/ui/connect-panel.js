// packages/runtime/src/panels/client/connect-panel.ts, compiled by `npm run gen`.
/** An error of the client. `code` is `not-connected`, `declined`, `not-granted`, … or `rpc` with a JSON-RPC code in `rpcCode`. */
export class PanelError extends Error {
    code;
    rpcCode;
    constructor(error) {
        super(error.message);
        this.name = 'PanelError';
        this.code = error.data?.code ?? 'rpc';
        this.rpcCode = error.code;
    }
}
/** Requests the port from the parent window. Ports from other windows are ignored. */
function askForPort() {
    const view = globalThis;
    return new Promise((resolve) => {
        const onMessage = ({ source, data, ports }) => {
            const [port] = ports;
            if (source !== view.parent || !port)
                return;
            if (data?.method !== 'ui/notifications/port')
                return;
            view.removeEventListener('message', onMessage);
            resolve(port);
        };
        view.addEventListener('message', onMessage);
        // To any origin: the message has no secret, and the source of the reply is checked.
        view.parent.postMessage({ jsonrpc: '2.0', method: 'ui/notifications/port-request' }, '*');
    });
}
/** JSON-RPC 2.0 over a port. */
function createCalls(port, onRequest) {
    const waiting = new Map();
    let lastId = 0;
    const send = (message) => port.postMessage(JSON.stringify({ jsonrpc: '2.0', ...message }));
    const settle = ({ id = '', result, error }) => {
        const call = waiting.get(id);
        waiting.delete(id);
        if (error)
            call?.reject(new PanelError(error));
        else
            call?.resolve(result);
    };
    port.onmessage = ({ data }) => {
        const message = JSON.parse(data);
        if (message.method === undefined)
            settle(message);
        else
            onRequest(message);
    };
    return {
        send,
        call(method, params = {}) {
            lastId += 1;
            const id = lastId;
            return new Promise((resolve, reject) => {
                waiting.set(id, { resolve, reject });
                send({ id, method, params });
            });
        },
    };
}
/** Connects the panel to the client that shows it. Call it once, at page load. */
export async function connectPanel(listeners = {}) {
    const port = await askForPort();
    let context;
    const { call, send } = createCalls(port, ({ id, method, params = {} }) => {
        if (method === 'ui/notifications/host-context-changed') {
            context = { ...context, ...params };
            listeners.context?.(context);
        }
        if (method === 'notifications/accounts/list_changed')
            listeners.accounts?.();
        if (method === 'notifications/tools/called')
            listeners.toolCalled?.(String(params.tool));
        if (method === 'ui/resource-teardown' && id !== undefined) {
            Promise.resolve(listeners.teardown?.(String(params.reason))).finally(() => send({ id, result: {} }));
        }
    });
    const { hostInfo, hostCapabilities, hostContext } = await call('ui/initialize', {
        protocolVersion: '2026-01-26',
        appInfo: { name: 'panel', version: '1' },
        appCapabilities: {},
    });
    context = hostContext;
    send({ method: 'ui/notifications/initialized' });
    return {
        hostInfo,
        hostCapabilities,
        get context() {
            return context;
        },
        listAccounts: async () => (await call('accounts/list')).accounts,
        connectAccount: (account) => call('accounts/connect', { account }),
        getToken: async (account) => (await call('accounts/token', { account })).accessToken,
        callTool: (name, args = {}, files = {}) => call('tools/call', { name, arguments: args, files }),
        pickFiles: async (wanted = {}) => (await call('files/pick', wanted)).files,
        releaseFile: (file) => call('files/release', { file }),
        runMedia: async (file, request) => (await call('media/run', { file, request })).file,
    };
}
