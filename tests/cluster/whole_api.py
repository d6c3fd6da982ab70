"""The API on a cluster: a sample of what `tests.api` holds it to, in this process and as it is run."""

from tests.api.test_arrays import *  # noqa: F403 - the same tests with this package's log
from tests.api.test_checkpoints import *  # noqa: F403 - as above
from tests.api.test_commands import *  # noqa: F403 - as above
from tests.api.test_encounters import *  # noqa: F403 - as above
from tests.api.test_forks import *  # noqa: F403 - as above
from tests.api.test_served import *  # noqa: F403 - as above
