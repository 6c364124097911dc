import type { NodeWork } from '../node-work.ts';
import { playbookWork, reportWork } from './analyst.ts';
import { conditionWork } from './condition.ts';
import { dashboardWork } from './dashboard.ts';
import { emailWork, fileOutputWork, slackWork, webhookWork } from './deliver.ts';
import { materializeWork } from './materialize.ts';
import { queryWork } from './query.ts';
import { snapshotWork } from './snapshot.ts';
import { verificationWork } from './verification.ts';
import { approvalWork, waitWork } from './waits.ts';

/** The implementation of each type of node; a test compares it with the declared types. */
export const nodeWork: Readonly<Record<string, NodeWork>> = {
  query: queryWork,
  playbook: playbookWork,
  report: reportWork,
  dashboard: dashboardWork,
  condition: conditionWork,
  wait: waitWork,
  approval: approvalWork,
  file_output: fileOutputWork,
  email_delivery: emailWork,
  slack_delivery: slackWork,
  webhook_delivery: webhookWork,
  snapshot: snapshotWork,
  materialize: materializeWork,
  verification: verificationWork,
};
