import type { Manifest } from '@svc/contracts';

/** Markup that opens a dialog when it is interpreted; an app may put it into any of its texts. */
const EVIL = `"><script>alert(1)</script><svg onload=alert(2)><img src="//evil.example/x" onerror="alert(3)"><a href="javascript:alert(4)">x</a>`;

/** A manifest that attacks its readers. It passes the checks. */
export const EVIL_MANIFEST: Partial<Manifest> = {
  id: 'com.evil.pad',
  name: '<img src=x onerror=alert(5)>',
  publisher: 'evil',
  description: EVIL,
  permissions: [EVIL.slice(0, 200), 'safe txt.exe'],
  author: EVIL.slice(0, 40),
  contributes: {
    tools: [
      { id: 'go', name: '<b>go</b>', description: `${EVIL} {{constructor.constructor('alert(6)')()}}` },
    ],
  },
};

/** Files that attack their readers. */
export const EVIL_FILES: Readonly<Record<string, string>> = {
  'README.md': `# ${EVIL}\n\n[x](javascript:alert(7)) ![y](//evil.example/y.png)\n<iframe src="//evil.example"></iframe>\n`,
  'CHANGELOG.md': `## 1.0.0\n\n${EVIL}\n`,
  "assets/&lt;img src=x onerror=alert(8)&gt;' onfocus='alert(8).txt": EVIL,
  'ui/panel.js': `alert(9);\nconst a = 1; // \u202e;)10(trela\u2066 end\nfetch('//evil.example/z');\n`,
  'ui/panel.html': '<script>alert(11)</script><img src="//evil.example/p.png">',
};
