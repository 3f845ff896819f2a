function tau = torqued_inverse_dynamics (url, robot, q, qd, qdd)
%TORQUED_INVERSE_DYNAMICS  tau = torqued_inverse_dynamics (url, 'panda', q, qd, qdd)
%   Joint torques (N m or N) of a motion: one sample a row, joints in the robot's order, rad and s.
% SPDX-License-Identifier: Apache-2.0
  request = struct ('q', q, 'qd', qd, 'qdd', qdd);
  answer = torqued_call (url, ['/v1/robots/' robot '/inverse-dynamics'], request);
  tau = reshape (answer.tau, size (qdd));
end
