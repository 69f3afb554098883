import { expect, test } from 'vitest';
import { judgeAudit } from '../../infra/bootstrap/tests/judge-audit.ts';

const report = (vulnerabilities: object): string =>
  JSON.stringify({ auditReportVersion: 2, vulnerabilities, metadata: {} });

test('a high or critical weakness is named, lesser ones pass', () => {
  expect(
    judgeAudit(
      report({
        left: { severity: 'moderate', range: '<1.0.0' },
        right: { severity: 'high', range: '<2.1.0' },
        pad: { severity: 'critical', range: '*' },
      }),
    ),
  ).toEqual({ kind: 'weak', lines: ['right <2.1.0: high', 'pad *: critical'] });
  expect(judgeAudit(report({ left: { severity: 'low', range: '*' } }))).toEqual({ kind: 'clean' });
  expect(judgeAudit(report({}))).toEqual({ kind: 'clean' });
});

test.each([
  ['', 'no report'],
  ['{"message":"","error":{"summary":""}}', 'no report'],
  ['<html>', 'no report'],
  [
    '{"message":"request to https://registry.npmjs.org failed"}',
    'request to https://registry.npmjs.org failed',
  ],
  [
    '{"error":{"code":"ENOAUDIT","summary":"Your configured registry does not support audit requests."}}',
    'Your configured registry does not support audit requests.',
  ],
])('a registry that does not answer is no verdict: %j', (output, why) => {
  expect(judgeAudit(output)).toEqual({ kind: 'unknown', why });
});
