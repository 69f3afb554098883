/*
 * Secrets leave no trace in summaries: applied to everything that goes to the summariser and to all that comes back.
 * Every pattern starts at a fixed text or a word border and has bounded repeats, so that long runs of digits, hex or
 * base64 stay linear (a real incident of the reference burned a CPU on one).
 */

const masked = '[REDACTED]';
/** Shorter secrets are hidden whole; of longer ones both ends stay, so that people can tell two keys apart. */
const shortSecretChars = 18;

/** No vendor's token is shorter. */
const leastTokenChars = 14;
const isTokenCode = new Uint8Array(128);
for (let code = 33; code < 127; code++)
  isTokenCode[code] = /[A-Za-z0-9_.+/=-]/.test(String.fromCharCode(code)) ? 1 : 0;

/** The long list is tried on long words only, found by looking at every 14th character. */
function hideVendorTokens(text: string): string {
  let hidden = '';
  let done = 0;
  for (let index = leastTokenChars - 1; index < text.length; index += leastTokenChars) {
    if (!isToken(text, index)) continue;
    let start = index;
    while (start > done && isToken(text, start - 1)) start--;
    let end = index + 1;
    while (end < text.length && isToken(text, end)) end++;
    index = end - 1;
    if (end - start < leastTokenChars) continue;
    const word = text.slice(start, end);
    const safe = word.replace(vendorToken, (secret) => hide(secret));
    if (safe === word) continue;
    hidden += text.slice(done, start) + safe;
    done = end;
  }
  return done === 0 ? text : hidden + text.slice(done);
}

function isToken(text: string, index: number): boolean {
  const code = text.charCodeAt(index);
  return code < 128 && isTokenCode[code] === 1;
}

interface Family {
  /** Cheap test: none of these in the text, nothing to do. */
  hints: readonly string[] | RegExp;
  pattern: RegExp;
  replace(match: string, ...groups: string[]): string;
}

const vendorToken = new RegExp(
  `(?<![A-Za-z0-9_-])(?:${[
    'sk-[A-Za-z0-9._-]{16,}',
    '(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{10,}',
    'whsec_[A-Za-z0-9+/=]{16,}',
    'gh[pousr]_[A-Za-z0-9]{16,}',
    'github_pat_[A-Za-z0-9_]{20,}',
    'glpat-[A-Za-z0-9_-]{16,}',
    'xox[a-z]-[A-Za-z0-9-]{10,}',
    'xapp-[A-Za-z0-9-]{10,}',
    'AIza[A-Za-z0-9_-]{30,}',
    'ya29\\.[A-Za-z0-9._-]{16,}',
    '(?:AKIA|ASIA)[A-Z0-9]{16}',
    'SG\\.[A-Za-z0-9_-]{16,}(?:\\.[A-Za-z0-9_-]{16,})?',
    'hf_[A-Za-z0-9]{16,}',
    'r8_[A-Za-z0-9]{16,}',
    'npm_[A-Za-z0-9]{16,}',
    'pypi-[A-Za-z0-9_-]{16,}',
    'do[opr]_v1_[A-Za-z0-9]{16,}',
    'gsk_[A-Za-z0-9]{16,}',
    'xai-[A-Za-z0-9]{16,}',
    'tvly-[A-Za-z0-9-]{16,}',
    'pplx-[A-Za-z0-9]{16,}',
    'fc-[a-f0-9]{24,}',
    'ntn_[A-Za-z0-9]{16,}',
    'secret_[A-Za-z0-9]{30,}',
    'syt_[A-Za-z0-9_]{16,}',
    'shp(?:at|ca|pa|ss)_[A-Za-z0-9]{16,}',
    'key-[a-f0-9]{32}',
    'pk-lf-[A-Za-z0-9-]{16,}',
    'sk_[a-f0-9]{32,}',
    'rpa_[A-Z0-9]{16,}',
    'glsa_[A-Za-z0-9_]{16,}',
    'glc_[A-Za-z0-9+/=]{16,}',
    'lin_api_[A-Za-z0-9]{16,}',
    'sbp_[a-f0-9]{16,}',
    'nfp_[A-Za-z0-9]{16,}',
    'dapi[a-f0-9]{32}',
    'ATATT3[A-Za-z0-9_=-]{16,}',
    'NRAK-[A-Z0-9]{16,}',
    'pat[A-Za-z0-9]{14}\\.[a-f0-9]{32,}',
    'dp\\.(?:pt|st|ct|sa)\\.[A-Za-z0-9_-]{16,}',
    'hvs\\.[A-Za-z0-9_-]{16,}',
    'sntry[su]_[A-Za-z0-9_=+/-]{16,}',
    'pscale_(?:tkn|pw)_[A-Za-z0-9_-]{16,}',
    'sq0(?:atp|csp)-[A-Za-z0-9_-]{16,}',
    'EAAA[A-Za-z0-9_-]{50,}',
    'fw_[A-Za-z0-9]{16,}',
    'csk-[a-z0-9]{16,}',
    'nvapi-[A-Za-z0-9_-]{16,}',
    'pcsk_[A-Za-z0-9_]{16,}',
    'tskey-[a-z]{1,20}-[A-Za-z0-9-]{10,}',
    'figd_[A-Za-z0-9_-]{16,}',
    'PMAK-[a-f0-9-]{16,}',
    'exa_[A-Za-z0-9-]{16,}',
    'jina_[A-Za-z0-9_-]{16,}',
    'AGE-SECRET-KEY-1[A-Z0-9]{16,}',
    '[MNO][A-Za-z0-9_-]{23,27}\\.[A-Za-z0-9_-]{6}\\.[A-Za-z0-9_-]{27,38}',
    '(?:AC|SK)[a-f0-9]{32}',
  ].join('|')})`,
  'g',
);

const secretName =
  'api[_-]?key|access[_-]?key|private[_-]?key|secret[_-]?key|client[_-]?secret|auth[_-]?token|access[_-]?token|refresh[_-]?token|' +
  'bot[_-]?token|id[_-]?token|passwords?|passwd|passphrase|pwd|secrets?|credentials?|tokens?|keys?';

const families: readonly Family[] = [
  {
    hints: ['PRIVATE KEY-----'],
    pattern: /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|$)/g,
    replace: () => `${masked} (private key)`,
  },
  {
    hints: ['://'],
    pattern: /(:\/\/[^\s:@/"']{0,100}:)([^\s@/"']{1,200})@/g,
    replace: (_, start, secret) => `${start!}${hide(secret!)}@`,
  },
  {
    hints: ['://'],
    pattern: /(:\/\/)([^\s:@/"']{16,200})@/g,
    replace: (_, start, secret) => `${start!}${hide(secret!)}@`,
  },
  {
    hints: ['uthorization', 'UTHORIZATION'],
    pattern:
      /\b((?:proxy-)?authorization["'\\]{0,3}\s{0,3}[:=]\s{0,3}["'\\]{0,3}(?:[a-z]{2,20}\s{1,3})?)([^\s"',;\\]{6,4000})/gi,
    replace: (_, start, secret) => `${start!}${hide(secret!)}`,
  },
  {
    hints: ['eyJ'],
    pattern: /(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{10,}(?:\.[A-Za-z0-9_-]{4,}){0,2}/g,
    replace: (secret) => hide(secret),
  },
  {
    hints: /\d:[A-Za-z0-9_-]/,
    pattern: /(?<![0-9A-Za-z])\d{8,12}:[A-Za-z0-9_-]{30,64}(?![A-Za-z0-9_-])/g,
    replace: (secret) => hide(secret),
  },
  {
    hints: ['='],
    pattern:
      /([?&](?:access_token|refresh_token|id_token|token|api_?key|key|secret|client_secret|password|passwd|pwd|sig|signature|auth|code|session|x-amz-signature|x-amz-credential|x-amz-security-token)=)([^&\s#"'<>]{4,2000})/gi,
    replace: (_, start, secret) => `${start!}${hide(secret!)}`,
  },
  {
    hints: /key|token|secret|pass|pwd|credential/i,
    pattern: new RegExp(
      // secret word at the start of a name or behind _ . -, rest of the name, closing quote, separator, opening quote, value
      `(?<![A-Za-z0-9])((${secretName})(?:[_-][A-Za-z0-9]{1,20}){0,2}["'\\\\]{0,3}[ \\t]{0,3}(?:=|:)[ \\t]{0,3}["'\\\\]{0,3})([^\\s"',;\\\\]{4,4000})`,
      'gi',
    ),
    replace: (match, ...[start, name, value]) =>
      isSecretValue(name!, value!) ? `${start!}${hide(value!)}` : match,
  },
  {
    hints: ['SECRET', 'TOKEN', 'PASSW', 'APIKEY', 'API_KEY'],
    // In capitals the secret word may stand anywhere in the name: MYPASSWORD=…
    pattern:
      /(?<![A-Za-z0-9_])([A-Z0-9_]{1,60}?(?:SECRET|TOKEN|PASSWORD|PASSWD|APIKEY|API_KEY)[A-Z0-9_]{0,20} {0,3}= {0,3}["'\\]{0,3})([^\s"',;\\]{6,4000})/g,
    replace: (match, start, value) =>
      isSecretValue('secret_key', value!) ? `${start!}${hide(value!)}` : match,
  },
  { hints: ['+'], pattern: /(?<![\w+])\+[1-9]\d{7,14}(?!\w)/g, replace: () => masked },
];

/** The text with every known kind of secret masked. Applying it twice changes nothing more. */
export function redact(text: string): string {
  let result = hideVendorTokens(text);
  for (const { hints, pattern, replace } of families)
    if (isHinted(result, hints)) result = result.replace(pattern, replace);
  return result;
}

function isHinted(text: string, hints: Family['hints']): boolean {
  if (hints instanceof RegExp) return hints.test(text);
  for (const hint of hints) if (text.includes(hint)) return true;
  return false;
}

function hide(secret: string): string {
  if (secret.includes(masked) || secret.includes('…')) return secret;
  return secret.length < shortSecretChars ? masked : `${secret.slice(0, 6)}…${secret.slice(-4)}`;
}

/** Words such as `token: yes` stay; what looks opaque goes. A password may be any word. */
function isSecretValue(name: string, value: string): boolean {
  if (/^(?:password|passwd|passphrase|pwd)$/i.test(name)) return true;
  const isBare = /^(?:tokens?|secrets?|credentials?|passwords|keys?)$/i.test(name);
  if (value.length < (isBare ? 12 : 6)) return false;
  if (/^(?:process\.env|os\.(?:environ|getenv)|import\.meta|env\.|\$|%|<|\{|\/|\.\/|~\/)/.test(value))
    return false;
  if (/^(?:null|none|true|false|undefined|string|required|optional)\b/i.test(value)) return false;
  if (/^keys?$/i.test(name)) return isOpaque(value);
  return !isBare || (/\d/.test(value) && /[A-Za-z]/.test(value));
}

/** A bare `key` is mostly no secret: its value must look like one, not like a name, a path or a number. */
function isOpaque(value: string): boolean {
  if (value.length < 20 || !/^[A-Za-z0-9+/=_-]+$/.test(value)) return false;
  const digits = value.match(/\d/g)?.length ?? 0;
  return digits >= 3 && /[A-Za-z]/.test(value) && !/^[a-z]{3,}(?:[_-][a-z0-9]+)+$/.test(value);
}
