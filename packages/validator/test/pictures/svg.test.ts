import { DEEP, runs } from '@svc/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readPicture } from '../../src/pictures/read-picture.ts';
import { MAX_ELEMENTS, readSvg } from '../../src/pictures/svg.ts';
import { bytesOf, cpuMs } from '../support.ts';
import { svg } from './build.ts';

const read = (text: string) => readSvg(bytesOf(text));
const hazardOf = (text: string) => {
  const picture = read(text);
  return picture.format === 'svg' ? picture.hazard : 'no svg';
};
const square = { width: 24, height: 24 };

describe('an SVG', () => {
  it.each([
    ['with a declaration', `<?xml version="1.0" encoding="UTF-8" standalone="no"?>\n${svg('')}`],
    ['with a byte order mark', `\ufeff${svg('')}`],
    ['of version 1.1', `<?xml version="1.1"?>${svg('')}`],
    ['under a prefix', '<s:svg xmlns:s="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><s:g/></s:svg>'],
    ['with comments around it', `<!-- a -->${svg('')}<!-- b -->\n `],
  ])('is recognised %s', (_, text) =>
    expect(read(text)).toEqual({ format: 'svg', sides: square, hazard: undefined }),
  );

  it.each([
    ['', 'XML'],
    [' ', 'XML'],
    ['plain text', 'XML'],
    ['{"svg":1}', 'XML'],
    ['<svg viewBox="0 0 24 24"/>', 'root element "svg"'],
    ['<svg xmlns="http://www.w3.org/1999/xhtml"/>', 'root element "svg"'],
    ['<SVG xmlns="http://www.w3.org/2000/svg"/>', 'root element "SVG"'],
    ['<path xmlns="http://www.w3.org/2000/svg"/>', 'root element "path"'],
    ['<!DOCTYPE html><html><body onload="alert(1)"/></html>', 'root element "html"'],
    ['<svg xmlns="http://www.w3.org/2000/svg">', 'line 1: "unclosed tag'],
    [svg('\n<g>\n<path></g>'), 'line 3'],
    [svg('<g a="1" a="2"/>'), 'duplicate attribute'],
    [svg('<x:g/>'), 'unbound namespace prefix'],
    [svg('&nbsp;'), 'undefined entity'],
    [svg('&#0;'), 'malformed character entity'],
    [svg('\u0000'), 'disallowed character'],
    [svg('a < b'), 'XML'],
    [svg('<g a=1/>'), 'unquoted'],
    [`${svg('')}${svg('')}`, 'one root'],
    [`${svg('')}text`, 'outside of root'],
    [`<?xml version="1.0" encoding="UTF-7"?>${svg('')}`, 'the encoding "UTF-7"'],
    [`<?xml version="1.0" encoding="ISO-8859-1"?>${svg('é')}`, 'declares the encoding'],
    [`<?xml version="1.0" encoding="UTF-16"?>${svg('')}`, 'declares the encoding'],
    [
      `<!DOCTYPE svg [<!ENTITY ns_ai "x">]>${svg('', 'xmlns:i="&ns_ai;"')}`,
      'undefined entity."), and line 1 has a DOCTYPE',
    ],
    ['<!DOCTYPE svg [', 'XML'],
    ['<!DOCTYPE svg [<!-- -', 'XML'],
    ['<!--', 'XML'],
  ])('is not recognised in %j', (text, why) => {
    const picture = read(text);
    expect(picture.format === 'other' && picture.why).toContain(why);
  });

  it('must be UTF-8', () => {
    const utf16 = Buffer.from(`\ufeff${svg('')}`, 'utf16le');
    expect(readSvg(utf16)).toEqual({ format: 'other', why: 'is not text in UTF-8' });
    expect(readSvg(Buffer.from(svg('é'), 'latin1')).format).toBe('other');
  });

  it('may have 10,000 elements, including its root', () => {
    expect(hazardOf(svg('<g/>'.repeat(MAX_ELEMENTS - 1)))).toBeUndefined();
    expect(hazardOf(svg('<g/>'.repeat(MAX_ELEMENTS)))).toBe('line 1 has more than 10000 elements');
  });

  it('is quoted in messages shortened and escaped', () => {
    const picture = read(svg(`<g></${'g'.repeat(5_000)}>`));
    expect(picture.format === 'other' ? picture.why.length : Number.NaN).toBeLessThan(200);
    expect(hazardOf(svg(`<g href="${'\u202e'.repeat(100)}"/>`))?.length).toBeLessThan(500);
    expect(hazardOf(svg('<g href="\u202e"/>'))).not.toContain('\u202e');
  });
});

describe('reading an SVG', () => {
  const limit = 1_000_000;
  it.each([
    ['nested elements', '<svg xmlns="http://www.w3.org/2000/svg">'],
    ['elements', `${svg('').replace('</svg>', '')}${'<g/>'.repeat(limit / 4)}</svg>`],
    ['attributes', svg('', Array.from({ length: limit / 12 }, (_, i) => `data-${i}=""`).join(' '))],
    ['prefixes', svg('', Array.from({ length: limit / 20 }, (_, i) => `xmlns:a${i}="b"`).join(' '))],
    ['entities', svg('&amp;'.repeat(limit / 5))],
    ['ampersands', svg('&'.repeat(limit))],
    ['open comments', svg('<!--'.repeat(limit / 4))],
    ['text in a style', svg(`<style>${'<!---->a'.repeat(limit / 8)}</style>`)],
    ['a doctype', `<!DOCTYPE svg [${'<!ENTITY a "&a;&a;">'.repeat(limit / 20)}]>${svg('&a;')}`],
    ['quotes', svg('', `style="${"'".repeat(limit)}"`)],
    ['a path', svg(`<path d="${'M0 0'.repeat(limit / 4)}"/>`)],
  ])('takes bounded time for a megabyte of %s', DEEP, (_, piece) => {
    const bytes = bytesOf(piece.repeat(Math.max(1, Math.floor(limit / piece.length))));
    const start = cpuMs();
    readSvg(bytes);
    expect(cpuMs() - start).toBeLessThan(10_000);
  });

  it('never throws and is deterministic, for any bytes', () => {
    const piece = fc.constantFrom(
      ...'<svg xmlns="http://www.w3.org/2000/svg">|</svg>|<g>|</g>|<style>|</style>|<!--|-->|<![CDATA[|]]>|<?xml|?>'.split(
        '|',
      ),
      ...[
        '<!DOCTYPE',
        '[',
        ']',
        '>',
        '<',
        '&',
        '&amp;',
        ';',
        '"',
        "'",
        '=',
        ' ',
        'a',
        '\r',
        '\u0000',
        '\ud800',
        '😀',
        ':',
      ],
    );
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 60 }),
      fc.array(piece, { maxLength: 25 }).map((pieces) => bytesOf(pieces.join(''))),
      fc.array(piece, { maxLength: 12 }).map((pieces) => bytesOf(svg(pieces.join('')))),
    );
    const property = fc.property(bytes, (content) => {
      expect(readPicture(content)).toEqual(readPicture(content));
    });
    fc.assert(property, { numRuns: runs(2_000) });
  });

  it('never accepts a script after one byte of the file is changed', () => {
    const attack = bytesOf(svg('<script>alert(1)</script>'));
    fc.assert(
      fc.property(fc.nat({ max: attack.length - 1 }), fc.integer({ min: 0, max: 255 }), (at, byte) => {
        const changed = Uint8Array.from(attack).with(at, byte);
        const picture = readSvg(changed);
        const isHarmless = picture.format === 'svg' && picture.hazard === undefined;
        expect(isHarmless && new TextDecoder().decode(changed).includes('<script')).toBe(false);
      }),
      { numRuns: runs(2_000) },
    );
  });
});

describe('svg tag', () => {
  const read = (text: string) => readSvg(bytesOf(text));
  const HTML = 'xmlns="http://www.w3.org/1999/xhtml"';
  const SVG = 'http://www.w3.org/2000/svg';

  describe('an attack', () => {
    it.each([
      // Script elements, in every namespace and spelling.
      '<script>alert(1)</script>',
      '<script href="#a"/>',
      '<script type="text/plain">x</script>',
      '<script xlink:href="https://example.com/a.js"/>',
      `<x:script xmlns:x="${SVG}">alert(1)</x:script>`,
      `<g xmlns:a="${SVG}"><defs><a:script/></defs></g>`,
      '<SCRIPT>alert(1)</SCRIPT>',
      `<script ${HTML}>alert(1)</script>`,
      `<h:script xmlns:h="http://www.w3.org/1999/xhtml">alert(1)</h:script>`,
      '<script xmlns="http://creativecommons.org/ns#">alert(1)</script>',
      '<script xmlns="http://ns.adobe.com/SaveForWeb/1.0/">alert(1)</script>',
      '<metadata><sfw xmlns="http://ns.adobe.com/SaveForWeb/1.0/"><img src="x"/></sfw></metadata>',
      '<metadata><sfw xmlns="http://example.com/"/></metadata>',
      '<metadata><script xmlns="http://www.w3.org/1999/02/22-rdf-syntax-ns#">alert(1)</script></metadata>',
      '<handler xmlns="http://www.w3.org/2001/xml-events">alert(1)</handler>',
      '<listener event="click" handler="#a"/>',
      '<script xmlns="">alert(1)</script>',
      '<g xmlns="http://www.w3.org/1998/Math/MathML"/>',
      // Event handlers.
      '<g onload="alert(1)"/>',
      '<g onLoad="alert(1)"/>',
      '<g ONCLICK="alert(1)"/>',
      '<g onload=""/>',
      '<g onfuture="alert(1)"/>',
      '<g xmlns:i="http://www.inkscape.org/namespaces/inkscape" i:onload="alert(1)"/>',
      '<i:a xmlns:i="http://www.inkscape.org/namespaces/inkscape" onclick="alert(1)"/>',
      '<g xmlns:ev="http://www.w3.org/2001/xml-events" ev:event="load" ev:handler="#a"/>',
      // References.
      '<use href="https://example.com/a.svg#a"/>',
      '<use xlink:href="//example.com/a.svg#a"/>',
      '<use href="a.svg#a"/>',
      '<use href=""/>',
      '<use href=" #a"/>',
      '<use href="&#x9;javascript:alert(1)"/>',
      '<use href="data:image/svg+xml;base64,PHN2Zy8+#a"/>',
      '<use HREF="javascript:alert(1)"/>',
      '<x:use xmlns:x="http://www.w3.org/2000/svg" xmlns:l="http://www.w3.org/1999/xlink" l:href="data:,#a"/>',
      '<linearGradient href="https://example.com/#a"/>',
      '<textPath href="javascript:alert(1)"/>',
      '<a href="javascript:alert(1)"><text>x</text></a>',
      '<a xlink:href="&#106;avascript:alert(1)"><text>x</text></a>',
      '<a href="#a"/>',
      '<image href="https://example.com/a.png"/>',
      '<image href="data:image/png;base64,AAAA"/>',
      '<image src="https://example.com/a.png"/>',
      '<feImage href="https://example.com/a.png"/>',
      '<g src="javascript:alert(1)"/>',
      '<g xml:base="javascript:alert(1)//"/>',
      '<g xmlns:x="http://example.com/" x:a="1"/>',
      '<g xmlns:x="ns_extend;"/>',
      '<tref xlink:href="https://example.com/a.svg#a"/>',
      '<cursor href="https://example.com/a.cur"/>',
      '<color-profile href="https://example.com/a.icc"/>',
      '<font-face-uri href="https://example.com/a.svg"/>',
      '<d:x xmlns:d="http://purl.org/dc/elements/1.1/" src="https://example.com/a.png"/>',
      // Animation, which could set any of these attributes later.
      '<set attributeName="onload" to="alert(1)"/>',
      '<set attributeName="href" to="javascript:alert(1)"/>',
      '<animate attributeName="xlink:href" values="javascript:alert(1)"/>',
      '<animateTransform attributeName="transform"/>',
      '<animateMotion><mpath href="#a"/></animateMotion>',
      '<discard/>',
      // Documents within the document.
      `<foreignObject><body ${HTML}><iframe src="javascript:alert(1)"/></body></foreignObject>`,
      '<foreignObject/>',
      '<foreignobject/>',
      `<iframe ${HTML} src="https://example.com/"/>`,
      `<h:img xmlns:h="http://www.w3.org/1999/xhtml" src="x" onerror="alert(1)"/>`,
      `<body ${HTML}/>`,
      `<svg xmlns="http://www.w3.org/1999/xhtml"><script/></svg>`,
      '<svg><svg><script/></svg></svg>',
      '<video/>',
      '<audio/>',
      '<embed/>',
      '<object/>',
      '<unknown/>',
      // CSS.
      '<style>@import "https://example.com/a.css";</style>',
      '<style>@im<!-- -->port "https://example.com/a.css";</style>',
      '<style>@im<![CDATA[port]]> "a.css";</style>',
      '<style><![CDATA[a{fill:url(https://example.com/)}]]></style>',
      '<style>a{fill:u&#114;l(https://example.com/)}</style>',
      '<style>a{fill:\\75 rl(https://example.com/)}</style>',
      '<style><![CDATA[</style><script>alert(1)</script>]]></style>',
      '<style><g/></style>',
      `<s:style xmlns:s="${SVG}">@import "a.css";</s:style>`,
      `<style ${HTML}>a{}</style>`,
      '<g style="background:url(https://example.com/a.png)"/>',
      '<g style="background:&#117;rl(//example.com/a.png)"/>',
      '<g style="width:expression(alert(1))"/>',
      '<g style="fill:\\75rl(//example.com)"/>',
      '<g fill="url(https://example.com/a.svg#a)"/>',
      '<g filter="url(data:image/svg+xml,x#a)"/>',
      '<g cursor="URL(https://example.com/a.cur), auto"/>',
      '<g mask="u\\rl(https://example.com/a.svg#a)"/>',
      '<g marker-end="url(&quot;https://example.com/a.svg#a&quot;)"/>',
      '<i:a xmlns:i="http://www.inkscape.org/namespaces/inkscape" style="fill:url(//example.com)"/>',
      // Markup that an HTML parser reads differently.
      '<!--><script>alert(1)</script>-->',
      '<!--><img src="x" onerror="alert(1)">-->',
      '<title><style><![CDATA[</style><img src="x" onerror="alert(1)">]]></style></title>',
      '<desc><g/></desc>',
      // Instructions and depth.
      '<?xml-stylesheet href="https://example.com/a.css"?>',
      '<?php echo 1 ?>',
      `${'<g>'.repeat(64)}${'</g>'.repeat(64)}`,
    ])('is refused: %j', (inside) =>
      expect(read(svg(inside))).toMatchObject({
        format: 'svg',
        hazard: expect.stringMatching(/^line 1 has \S/),
      }),
    );

    it.each([
      svg('', 'onload="alert(1)"'),
      svg('', 'style="background:url(//example.com)"'),
      svg('', 'xml:base="https://example.com/"'),
      `<?xml-stylesheet href="javascript:alert(1)"?>${svg('')}`,
      `${svg('')}<?x?>`,
      svg('<g on&#108;oad="alert(1)"/>'),
      `<!DOCTYPE svg SYSTEM "https://example.com/svg11.dtd">${svg('')}`,
      `<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "https://example.com/svg11.dtd">${svg('')}`,
      `<!DOCTYPE svg PUBLIC "-//W3C//DTD XHTML 1.1 plus MathML 2.0 plus SVG 1.1//EN" "http://www.w3.org/a.dtd">${svg('')}`,
      `<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/a.dtd" [<!ATTLIST g onload CDATA "alert(1)">]>${svg('<g/>')}`,
      `<!DOCTYPE svg [<!ENTITY a "<script>alert(1)</script>">]>${svg('&a;')}`,
      `<!DOCTYPE svg [<!ENTITY a SYSTEM "file:///etc/passwd">]>${svg('&a;')}`,
      `<!DOCTYPE svg [<!ATTLIST g onload CDATA "alert(1)">]>${svg('<g/>')}`,
      `<!--><script>alert(1)</script>-->${svg('')}`,
      `${svg('')}<!---><script>alert(1)</script>-->`,
    ])('is refused as a document, or is not an SVG: %j', (text) => {
      const picture = read(text);
      expect(picture.format === 'svg' && picture.hazard === undefined).toBe(false);
    });

    it('is reported with the line of its first fault', () =>
      expect(read(svg('\n<g/>\n<g onclick="a"/><script/>'))).toMatchObject({
        hazard: 'line 3 has the event handler "onclick"',
      }));
  });

  describe('a harmless drawing', () => {
    const editor = [
      'xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:dc="http://purl.org/dc/elements/1.1/"',
      'xmlns:cc="http://creativecommons.org/ns#" xmlns:inkscape="http://www.inkscape.org/namespaces/inkscape"',
      'xmlns:sodipodi="http://sodipodi.sourceforge.net/DTD/sodipodi-0.dtd"',
    ].join(' ');

    it.each([
      '<title>How &lt;script&gt; and onload= and javascript: and @import url(x) are written</title>',
      '<desc>foreignObject, &amp;entity; <![CDATA[<script>alert(1)</script>]]></desc>',
      '<text x="1" y="2">url(https://example.com) <tspan dx="1">expression(1)</tspan></text>',
      '<!-- <script>alert(1)</script> onclick="" <!DOCTYPE svg> -->',
      '<path d="M0 0h1" aria-label="javascript:alert(1)" data-name="url(https://example.com)" class="onload"/>',
      '<g id="script"/><g id="onclick" class="a b"/>',
      '<defs><linearGradient id="a"><stop offset="0" stop-color="#fff"/></linearGradient></defs><path fill="url(#a)" d="M0 0"/>',
      '<linearGradient id="b" xlink:href="#a" gradientTransform="rotate(45) translate(1,2)"/>',
      '<symbol id="s" viewBox="0 0 1 1"><circle r="1"/></symbol><use href="#s"/><use xlink:href="#s" xlink:type="simple"/>',
      '<clipPath id="c"><rect width="1" height="1"/></clipPath><g clip-path="url(\'#c\')" style="mask:url(#m);mix-blend-mode:multiply"/>',
      '<filter id="f"><feGaussianBlur in="SourceGraphic" stdDeviation="2"/><feColorMatrix values="0 0 0 0 0"/></filter>',
      '<style type="text/css"><![CDATA[.st0{fill:#231F20;}]]></style><path class="st0" d="M0 0"/>',
      '<style>/* @import url(x) */ .a{fill:url(#a)}</style>',
      '<g style="-inkscape-font-specification:\'Sans\';font-family:&quot;Open Sans&quot;;fill:rgb(0,0,0)"/>',
      `<g ${editor} inkscape:label="onclick" sodipodi:nodetypes="cc"/>`,
      `<sodipodi:namedview ${editor} pagecolor="#fff" inkscape:zoom="1"><inkscape:grid type="xygrid"/></sodipodi:namedview>`,
      '<metadata><sfw xmlns="http://ns.adobe.com/SaveForWeb/1.0/"><slices/><sliceSourceBounds height="9" width="9" x="0" y="0"/></sfw></metadata>',
      '<metadata><c:manifest xmlns:c="http://c2pa.org/manifest">AAAs</c:manifest></metadata>',
      '<linearGradient xmlns:osb="http://www.openswatchbook.org/uri/2009/osb" id="a" osb:paint="solid"/>',
      `<inkscape:path-effect ${editor} effect="bend_path" only_selected="false"/>`,
      '<flowRoot id="f"><flowRegion><rect width="1" height="1"/></flowRegion><flowPara>a</flowPara></flowRoot>',
      `<metadata ${editor}><rdf:RDF><cc:Work rdf:about=""><dc:format>image/svg+xml</dc:format><dc:type rdf:resource="http://purl.org/dc/dcmitype/StillImage"/><dc:title>a</dc:title></cc:Work></rdf:RDF></metadata>`,
      '<g xml:space="preserve" xml:lang="en" enable-background="new 0 0 24 24"/>',
      '<svg x="1" y="1" width="2" height="2" viewBox="0 0 1 1"><g/></svg>',
      '<switch><g systemLanguage="en"/></switch>',
      `${'<g>'.repeat(63)}${'</g>'.repeat(63)}`,
      '<g></g><title></title><g><path/></g>',
    ])('is accepted: %j', (inside) =>
      expect(read(svg(inside))).toMatchObject({ format: 'svg', hazard: undefined }),
    );

    it.each([
      '<!DOCTYPE svg>',
      '<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">',
      '<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 20010904//EN"\n "http://www.w3.org/TR/2001/REC-SVG-20010904/DTD/svg10.dtd">',
      "<!DOCTYPE svg PUBLIC '-//W3C//DTD SVG 1.1//EN' 'http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd'>",
      '<?xml version="1.0" encoding="iso-8859-1"?>',
    ])('is accepted after %j', (start) =>
      expect(read(`${start}${svg('')}`)).toMatchObject({ format: 'svg', hazard: undefined }),
    );
  });
});
