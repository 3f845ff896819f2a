// SPDX-License-Identifier: Apache-2.0
// clients/dashboard/src/frame/work.ts - the pages with curves and results, loaded together when the first of them is shown: uPlot comes with them.
export { CalibratePage } from '../calibration/calibrate.ts';
export { DatasetPage, DatasetsPage } from '../datasets/datasets.ts';
export { JobPage, JobsPage } from '../jobs/jobs.ts';
export { ServicePage } from '../jobs/service.ts';
export { SessionPage, SessionsPage } from '../simulation/sessions.ts';
export { SimulatePage } from '../simulation/simulate.ts';
export { TorquePage } from '../torque/torque.ts';
