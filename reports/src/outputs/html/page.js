'use strict';
// Markup that got in may lead the reader away, which no policy refuses.
const stay = () => { if (document.querySelector('meta[http-equiv=refresh i]')) stop(); };
addEventListener('load', stay);
// Shows only the findings that have the searched words and the chosen values.
(() => {
  const form = document.querySelector('.filters');
  if (!form) return;
  form.hidden = false;
  const findings = [...document.querySelectorAll('.finding')];
  const search = document.getElementById('search');
  const selects = [...form.querySelectorAll('select')];
  let texts;
  // The bodies of further findings: gzip of a JSON list of HTML, in base64.
  let unpacking;
  const unpack = () => {
    const packed = document.getElementById('packed');
    unpacking ??= (async () => {
      if (!packed) return;
      const bytes = Uint8Array.from(atob(packed.textContent), (it) => it.charCodeAt(0));
      const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
      const bodies = JSON.parse(await new Response(stream).text());
      findings.slice(-bodies.length).forEach((it, at) => {
        it.querySelector('.body').innerHTML = bodies[at];
      });
      stay();
    })();
    return unpacking;
  };
  document.addEventListener('toggle', (event) => { if (event.target.open) unpack(); }, true);
  const apply = async () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    if (words.length && !texts) {
      await unpack();
      texts = findings.map((it) => it.textContent.toLowerCase());
    }
    let shown = 0;
    findings.forEach((finding, at) => {
      const hasChosen = selects.every((it) => !it.value || finding.dataset[it.dataset.filter] === it.value);
      finding.hidden = !(hasChosen && words.every((word) => texts[at].includes(word)));
      if (!finding.hidden) shown++;
    });
    const all = findings.length;
    document.getElementById('shown').value = shown === all ? `${all} findings` : `${shown} of ${all} findings`;
    document.getElementById('none').hidden = shown > 0;
  };
  const each = (open) => findings.filter((it) => !it.hidden).forEach((it) => { it.open = open; });
  form.addEventListener('input', apply);
  form.addEventListener('submit', (event) => event.preventDefault());
  document.getElementById('open').addEventListener('click', () => each(true));
  document.getElementById('close').addEventListener('click', () => each(false));
  document.addEventListener('keydown', (event) => {
    const isTyping = event.target.matches('input, select, textarea');
    if (event.key === '/' && !isTyping && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      search.focus();
    } else if (event.key === 'Escape' && event.target === search) {
      search.value = '';
      apply();
    }
  });
  const follow = () => {
    const finding = location.hash.length > 1 && document.getElementById(location.hash.slice(1));
    if (finding && finding.matches('.finding')) finding.open = true;
  };
  addEventListener('hashchange', follow);
  follow();
  apply();
})();
