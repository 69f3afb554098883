/** What `npm audit --json` says about the packages that we ship. */
export type AuditVerdict =
  | { kind: 'clean' }
  /** Packages with a known weakness that is high or critical, a line each. */
  | { kind: 'weak'; lines: readonly string[] }
  /** The registry gave no answer that could be read; `why` in a few words. */
  | { kind: 'unknown'; why: string };

interface Report {
  auditReportVersion?: number;
  error?: { summary?: string; code?: string };
  message?: string;
  vulnerabilities?: Record<string, { severity: string; range: string }>;
}

const serious = new Set(['high', 'critical']);

/** Judge the standard output of the command; its exit code says nothing about why it failed. */
export function judgeAudit(output: string): AuditVerdict {
  const report = parse(output);
  if (report?.auditReportVersion === undefined) {
    const why = report?.error?.summary || report?.error?.code || report?.message || 'no report';
    return { kind: 'unknown', why: why.split('\n')[0]!.slice(0, 200) };
  }
  const lines = Object.entries(report.vulnerabilities ?? {})
    .filter(([, { severity }]) => serious.has(severity))
    .map(([name, { severity, range }]) => `${name} ${range}: ${severity}`);
  return lines.length === 0 ? { kind: 'clean' } : { kind: 'weak', lines };
}

function parse(output: string): Report | undefined {
  try {
    return JSON.parse(output) as Report;
  } catch {
    return undefined;
  }
}
