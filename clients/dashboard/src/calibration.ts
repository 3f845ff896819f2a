// SPDX-License-Identifier: Apache-2.0
// clients/dashboard/src/calibration.ts - a calibration's result.
import { html, type VNode } from './html.ts';
import type { Job } from './types.ts';

export function CalibrationView({ job }: { job: Job }): VNode {
  return html`<p><a href=${`/v1/jobs/${encodeURIComponent(job.id)}/report`}>Report</a></p>`;
}
