% SPDX-License-Identifier: Apache-2.0
% motion.m - octave-cli motion.m: torques of a motion, a simulation, a refusal; $TORQUED_URL or http://127.0.0.1:8420.
addpath (fileparts (mfilename ('fullpath')));
url = getenv ('TORQUED_URL');
if isempty (url)
  url = 'http://127.0.0.1:8420';
end

t = linspace (0, 1, 5)';
w = 2 * pi * (1:7) / 10;
q = 0.3 * sin (t * w);
qd = 0.3 * w .* cos (t * w);
qdd = -0.3 * w .^ 2 .* sin (t * w);
tau = torqued_inverse_dynamics (url, 'panda', q, qd, qdd);
printf ('tau %s\n', sprintf ('%.17g ', tau'));

request.initial = struct ('q', [0.1 0.2], 'qd', [0 0]);
request.duration_s = 0.5;
request.output = struct ('interval_s', 0.1);
run = torqued_call (url, '/v1/robots/planar-2r/simulate', request);
printf ('verdict %s\nend %s\n', run.verdict.outcome, sprintf ('%.17g ', run.q(end, :)));

try
  torqued_inverse_dynamics (url, 'panda', q(:, 1:6), qd, qdd);
catch fault
  printf ('refused %s\n', fault.message);
end
