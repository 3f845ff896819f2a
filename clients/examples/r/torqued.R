# SPDX-License-Identifier: Apache-2.0
# torqued.R - torqued from R: torqued_call(path, request), torqued_inverse_dynamics(robot, q, qd, qdd). Needs curl and jsonlite.

torqued_url <- function() Sys.getenv("TORQUED_URL", "http://127.0.0.1:8420")

# One call: the answer as a list; matrices have one sample a row. A refusal is an error with its place and hint.
# I() around a vector of one number keeps it an array.
torqued_call <- function(path, request, url = torqued_url()) {
  handle <- curl::new_handle()
  # 17 significant digits give a double's bits back
  body <- jsonlite::toJSON(request, auto_unbox = TRUE, digits = I(17), null = "null")
  curl::handle_setopt(handle, postfields = as.character(body))
  headers <- list("Content-Type" = "application/json", "Prefer" = "wait=60")
  token <- Sys.getenv("TORQUED_TOKEN")
  if (nzchar(token)) headers$Authorization <- paste("Bearer", token)
  curl::handle_setheaders(handle, .list = headers)
  reply <- curl::curl_fetch_memory(paste0(url, path), handle)
  answer <- jsonlite::fromJSON(rawToChar(reply$content))
  if (reply$status_code >= 400) {
    stop(paste(c(answer$title, answer$detail, answer$errors$hint[1]), collapse = ": "), call. = FALSE)
  }
  answer
}

# Joint torques (N m or N) of a motion: matrices with one sample a row, joints in the robot's order, rad and s.
torqued_inverse_dynamics <- function(robot, q, qd, qdd, ...) {
  torqued_call(paste0("/v1/robots/", robot, "/inverse-dynamics"), list(q = q, qd = qd, qdd = qdd), ...)$tau
}
