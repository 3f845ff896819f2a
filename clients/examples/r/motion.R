# SPDX-License-Identifier: Apache-2.0
# motion.R - Rscript motion.R: torques of a motion, a simulation, a refusal; $TORQUED_URL or http://127.0.0.1:8420.
arguments <- commandArgs(FALSE)
here <- dirname(sub("^--file=", "", grep("^--file=", arguments, value = TRUE)))
source(file.path(here, "torqued.R"))
say <- function(...) cat(..., "\n")

t <- seq(0, 1, length.out = 5)
w <- 2 * pi * (1:7) / 10
q <- 0.3 * sin(outer(t, w))
qd <- 0.3 * sweep(cos(outer(t, w)), 2, w, "*")
qdd <- -0.3 * sweep(sin(outer(t, w)), 2, w^2, "*")
tau <- torqued_inverse_dynamics("panda", q, qd, qdd)
say("tau", sprintf("%.17g", t(tau)))

run <- torqued_call("/v1/robots/planar-2r/simulate",
  list(initial = list(q = c(0.1, 0.2), qd = c(0, 0)), duration_s = 0.5, output = list(interval_s = 0.1)))
say("verdict", run$verdict$outcome)
say("end", sprintf("%.17g", run$q[nrow(run$q), ]))

refused <- tryCatch(torqued_inverse_dynamics("panda", q[, 1:6], qd, qdd), error = conditionMessage)
say("refused", refused)
